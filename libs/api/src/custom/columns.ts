import { isObject } from "@orch/schema/descriptor.js";
import { canonicalTime } from "@orch/schema/formats/time.js";
import { jsonText } from "@orch/status/json-text.js";
import type { PrinterColumnV1 } from "../kinds/apiextensions/types.js";
import { age, type Cell, unknown } from "../table/cell.js";
import type { TableColumnDefinition } from "../table/column.js";
import type { TableType } from "../table/table-type.js";
import { type FindFirst, parseJsonPath } from "./json-path.js";

interface CustomColumn extends TableColumnDefinition {
  readonly find: FindFirst;
}

const ageColumn: PrinterColumnV1 = {
  ...{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  description: "When the server created the object, in UTC.",
};

/** The table of a custom resource: its name, then the columns of its definition, or its age where there are none of use. */
export function customTable(columns: readonly PrinterColumnV1[]): TableType {
  const own = compiled(columns) ?? [];
  const shown = own.length > 0 ? own : (compiled([ageColumn]) ?? []);
  return {
    columns: [nameColumn, ...shown.map(({ find: _find, ...definition }) => definition)],
    row: (object) => ({
      cells: [object.metadata.name ?? null, ...shown.map(({ type, find }) => cellOf(type, find(object)))],
      conditions: [],
    }),
  };
}

const nameColumn: TableColumnDefinition = {
  ...{ name: "Name", type: "string", format: "name", priority: 0 },
  description:
    "Name of the object: given when it is created, the only one of its kind in its namespace, never changed.",
};

/** Undefined where one of them has no path that can be followed: then none of them is shown. */
function compiled(columns: readonly PrinterColumnV1[]): readonly CustomColumn[] | undefined {
  const found: CustomColumn[] = [];
  for (const { name = "", type = "", format = "", description = "", priority = 0, jsonPath = "" } of columns) {
    const find = parseJsonPath(jsonPath);
    if (find === undefined) return undefined;
    found.push({ name, type, format, priority, find, description: description || `What stands at ${jsonPath}.` });
  }
  return found;
}

/** A value that its column's type cannot show is not shown. */
function cellOf(type: string, value: unknown): Cell {
  if (value === null && type === "string") return "<no value>";
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      if (typeof value === "bigint") return value;
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateOf(value) : null;
    case "string":
      return typeof value === "string" ? value : shown(value);
    default:
      return null;
  }
}

function dateOf(text: string): Cell {
  if (text === "" || text === "null") return unknown;
  return canonicalTime(text) === undefined ? "<invalid>" : age(text);
}

/** As the reference's JSON: members by name, and no character that is a mark in HTML. */
function shown(value: unknown): string {
  const text = jsonText(ordered(value));
  return text.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, ordered(member)]));
}
