import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";

/** Of the Table that is wanted. */
interface TableVersion {
  readonly group: string;
  readonly version: string;
}

interface Column {
  readonly name: string;
  readonly type: "string" | "date";
  readonly description: string;
  /** 0 where it is always shown, more where it is shown if there is room. */
  readonly priority: number;
  readonly of: (item: JsonObject, document: JsonObject) => string;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const nameIn = ({ metadata }: JsonObject): string => text(isObject(metadata) ? metadata["name"] : "");
const mostFields = 3;

const column = (
  name: string,
  of: Column["of"],
  { type = "string", priority = 0, description }: Partial<Column> & Pick<Column, "description">,
): Column => ({ name, type, priority, description, of });

const author: readonly Column[] = [
  column("Time", ({ time }) => text(time), { type: "date", description: "when it was made so" }),
  column("User", ({ user }) => text(user), { description: "who made it so" }),
  column("Manager", ({ manager }) => text(manager), { description: "with what", priority: 1 }),
];

const tables: Readonly<Record<string, readonly Column[]>> = {
  ObjectHistory: [
    column("Name", (_, document) => nameIn(document), { description: "of the object" }),
    column("Revision", ({ revision }) => text(revision), { description: "from which on it was so" }),
    column("Change", ({ change }) => text(change) || "unknown", { description: "created, changed or deleted" }),
    ...author,
    column("Fields", ({ fields }) => fieldsOf(fields), { description: "what was changed" }),
  ],
  DeletedObjectList: [
    column("Name", nameIn, { description: "of the object" }),
    column("Revision", ({ revision }) => text(revision), { description: "of the deletion" }),
    ...author,
    column("UID", ({ metadata }) => text(isObject(metadata) ? metadata["uid"] : ""), {
      description: "that it had",
      priority: 1,
    }),
  ],
};

function fieldsOf(fields: unknown): string {
  if (!Array.isArray(fields)) return "";
  const left = fields.length - mostFields;
  return fields.slice(0, mostFields).join(",") + (left > 0 ? ` + ${left} more` : "");
}

/** A document about the past as a Table; undefined of one that has no rows: a difference. */
export function historyTable(body: Buffer, { group, version }: TableVersion): Buffer | undefined {
  const document: unknown = readJson(body.toString("utf8"));
  if (!isObject(document)) return undefined;
  const columns = tables[text(document["kind"])];
  const { items } = document;
  if (columns === undefined || !Array.isArray(items)) return undefined;
  const apiVersion = `${group}/${version}`;
  const table = {
    ...{ kind: "Table", apiVersion, metadata: continueOf(document) },
    columnDefinitions: columns.map(({ of: _of, ...definition }) => ({ ...definition, format: "" })),
    rows: items.filter(isObject).map((item) => ({
      cells: columns.map(({ of }) => of(item, document)),
      object: { kind: "PartialObjectMetadata", apiVersion, metadata: item["metadata"] ?? document["metadata"] ?? {} },
    })),
  };
  return Buffer.from(`${JSON.stringify(table)}\n`);
}

function continueOf({ metadata }: JsonObject): JsonObject {
  const token = isObject(metadata) ? metadata["continue"] : undefined;
  return token === undefined ? {} : { continue: token };
}
