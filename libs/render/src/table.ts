import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { printedUntil, printRow, type RowText, rowText } from "@orch/api/table/row-text.js";
import type { TableType } from "@orch/api/table/table-type.js";
import { decodeObject } from "@orch/api/writes.js";
import { jsonText } from "@orch/status/json-text.js";
import type { Form, IncludeObject } from "./form.js";
import { jsonFraming, type ListFrame } from "./framing.js";
import type { ListMetadata, Piece, Renderer } from "./renderer.js";
import type { Shape } from "./shape.js";

export interface TableOptions {
  /** Whose columns the table has. */
  readonly table: TableType;
  /** In which the rows' objects are stored. */
  readonly hub: Kind;
  /** What a row's whole object is shown as. */
  readonly shape: Shape;
  readonly apiVersion: string;
  readonly form: Form;
}

const none = Buffer.alloc(0);
const comma = Buffer.from(",");
const endOfRows = Buffer.from("]}\n");

/** Tables, in JSON (rules: Table representation): the pieces are rows. */
export function tableRenderer(options: TableOptions): Renderer {
  const following = rowsRenderer(options, "null");
  return { ...rowsRenderer(options, JSON.stringify(options.table.columns)), following };
}

function rowsRenderer({ table, hub: kind, shape, apiVersion, form }: TableOptions, columns: string): Renderer {
  const head = (metadata: object): string =>
    `{"kind":"Table","apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(metadata)},` +
    `"columnDefinitions":${columns},"rows":[`;
  const document = (row: Buffer, metadata: object): Buffer =>
    Buffer.concat([Buffer.from(head(metadata)), row, endOfRows]);
  return {
    // Cells know decoded objects; what is stored has nulls too, where the reference writes them.
    piece: (hub) =>
      rowPiece(
        rowText(table.row(decodeObject(kind, hub).object)),
        objectText(hub, { shape, apiVersion, include: form.includeObject }),
      ),
    document: (row, resourceVersion) => document(row, { resourceVersion }),
    list: (metadata: ListMetadata): ListFrame => ({
      head: Buffer.from(head(metadata)),
      before: (index) => (index === 0 ? none : comma),
      tail: endOfRows,
    }),
    sized: false,
    itemSize: jsonFraming.itemSize,
    event: jsonFraming.event,
    bookmark: (metadata) => jsonFraming.event("BOOKMARK", document(none, metadata)),
    error: (status) => Buffer.from(`${JSON.stringify({ type: "ERROR", object: status })}\n`),
    status: (status) => Buffer.from(`${JSON.stringify(status)}\n`),
  };
}

interface RowObject {
  readonly shape: Shape;
  readonly apiVersion: string;
  readonly include: IncludeObject;
}

function objectText(hub: AnyObject, { shape, apiVersion, include }: RowObject): string {
  switch (include) {
    case "None":
      return "null";
    case "Object":
      return jsonText({ ...shape.typeMeta, ...shape.tree(hub) });
    case "Metadata":
      return jsonText({ kind: "PartialObjectMetadata", apiVersion, metadata: hub.metadata });
  }
}

/** A row keeps its last print for as long as its ages read the same. */
function rowPiece(text: RowText, object: string): Piece {
  // A clock can be set back, too.
  let from = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  let bytes = none;
  return {
    at(now) {
      if (from <= now && now < until) return bytes;
      bytes = Buffer.from(`${printRow(text, now)}${object}}`);
      from = now;
      until = printedUntil(text, now);
      return bytes;
    },
    get until() {
      return until;
    },
    size: 2 * object.length + 256,
  };
}
