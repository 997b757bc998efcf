import { DataError, type Reader, reader } from "../reader.js";
import type { CellOf, Plain } from "./cell.js";
import { cells } from "./cells/cells.js";
import { type ListPath, type Path, parseListPath, parsePath } from "./path.js";

/** How a column is described to clients (rules: Table representation). */
export interface TableColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; higher ones where there is room. */
  readonly priority: number;
}

export interface Column extends TableColumnDefinition {
  readonly source: Source;
}

/** Where a column's cells come from, all of the object in its stored version. README.md: A column. */
export type Source =
  /** The value as it is, or as text; `or` where it is absent or empty. */
  | { readonly kind: "path"; readonly path: Path; readonly or: Plain }
  | { readonly kind: "text"; readonly path: Path; readonly or: Plain }
  | { readonly kind: "age"; readonly path: Path; readonly or: string | undefined }
  /** Entries of lists and maps, together. */
  | { readonly kind: "count"; readonly paths: readonly Path[] }
  | { readonly kind: "labels"; readonly path: Path }
  | { readonly kind: "selector"; readonly path: Path }
  | { readonly kind: "join"; readonly path: ListPath; readonly or: string }
  /** `1/3`; what is absent is 0. */
  | { readonly kind: "ratio"; readonly paths: readonly Path[] }
  /** `Role/view`; `or` where all are absent. */
  | { readonly kind: "slashed"; readonly paths: readonly Path[]; readonly or: string }
  | { readonly kind: "cell"; readonly cell: CellOf; readonly words: readonly string[] };

type Notation = Source["kind"];
const readers: { readonly [K in Notation]: (r: Reader) => Source } = {
  path: (r) => ({ kind: "path", path: pathOf(r, "path"), or: plainOr(r) ?? zeroOf(r.text("type")) }),
  text: (r) => ({ kind: "text", path: pathOf(r, "text"), or: plainOr(r) ?? "" }),
  age: (r) => ({ kind: "age", path: pathOf(r, "age"), or: r.optionalText("or") }),
  count: (r) => ({ kind: "count", paths: pathsOf(r, "count") }),
  labels: (r) => ({ kind: "labels", path: pathOf(r, "labels") }),
  selector: (r) => ({ kind: "selector", path: pathOf(r, "selector") }),
  join: (r) => ({
    kind: "join",
    path: parseListPath(`${r.where}.join`, r.text("join")),
    or: r.optionalText("or") ?? "",
  }),
  ratio: (r) => ({ kind: "ratio", paths: pathsOf(r, "ratio") }),
  slashed: (r) => ({ kind: "slashed", paths: pathsOf(r, "slashed"), or: r.optionalText("or") ?? "" }),
  cell: (r) => ({ kind: "cell", cell: cellOf(r), words: r.texts("words") }),
};
const notations = ["path", "text", "age", "count", "labels", "selector", "join", "ratio", "slashed", "cell"] as const;
const withOr: readonly Notation[] = ["path", "text", "age", "join", "slashed"];
const columnKeys = ["name", "type", "format", "priority", "description", "or", "words", ...notations];

/** @throws DataError for anything but a name, a type and one notation */
export function readColumn(entry: Reader): Column {
  const r = reader(entry.where, Object.fromEntries(entry.entries()), columnKeys);
  const [notation, another] = notations.filter((n) => r.has(n));
  if (notation === undefined || another !== undefined)
    throw new DataError(r.where, `expected exactly one of ${notations.join(", ")}`);
  if (r.has("or") && !withOr.includes(notation)) throw new DataError(`${r.where}.or`, `stands beside ${notation}`);
  if (r.has("words") && notation !== "cell") throw new DataError(`${r.where}.words`, `stands beside ${notation}`);
  const name = r.text("name");
  const type = r.oneOf("type", ["string", "integer", "boolean", "date"]);
  if (type === undefined) throw new DataError(`${r.where}.type`, "is missing");
  return {
    name,
    type,
    format: r.optionalText("format") ?? "",
    description: r.optionalText("description") ?? standardDescriptions.get(name) ?? "",
    priority: r.optionalNumber("priority") ?? 0,
    source: readers[notation](r),
  };
}

/** Of columns that nearly every table has. */
const standardDescriptions: ReadonlyMap<string, string> = new Map([
  ["Name", "Name of the object: given when it is created, the only one of its kind in its namespace, never changed."],
  ["Age", "Time since the object was created."],
  ["Created At", "When the server created the object, in UTC."],
]);

function pathOf(r: Reader, key: Notation): Path {
  return parsePath(`${r.where}.${key}`, r.text(key));
}

function pathsOf(r: Reader, key: Notation): readonly Path[] {
  const paths = r.texts(key).map((text) => parsePath(`${r.where}.${key}`, text));
  if (paths.length === 0) throw new DataError(`${r.where}.${key}`, "expected paths");
  return paths;
}

function plainOr(r: Reader): Plain | undefined {
  const or = r.raw("or");
  if (or === undefined || typeof or === "string" || typeof or === "number" || typeof or === "boolean") return or;
  throw new DataError(`${r.where}.or`, "expected a string, a number, true or false");
}

/** What is absent is zero, as its type has it. */
function zeroOf(type: string): Plain {
  if (type === "integer") return 0;
  return type === "boolean" ? false : "";
}

function cellOf(r: Reader): CellOf {
  const name = r.text("cell");
  const found = cells.get(name);
  if (found === undefined) throw new DataError(`${r.where}.cell`, `no cell function ${name}`);
  return found;
}

/** The table of kinds that describe no columns. */
export const defaultColumns: readonly Column[] = [
  { name: "Name", type: "string", format: "name", path: ".metadata.name" },
  { name: "Created At", type: "date", path: ".metadata.creationTimestamp", or: "<unknown>" },
].map((column) => readColumn(reader("default table", column)));
