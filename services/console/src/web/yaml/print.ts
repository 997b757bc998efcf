import { parseDocument, stringify } from "yaml";
import { isTree, type Tree } from "../json.js";

/** An object as people read and edit it: without the record of who owns what, which is shown beside it. */
export function printObject(object: unknown): string {
  return stringify(withoutManagedFields(object), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** An object for a comparison: without the number that every change changes. */
export function printCompared(object: unknown): string {
  if (!isTree(object) || !isTree(object["metadata"])) return printObject(object);
  const { resourceVersion: _number, ...metadata } = object["metadata"];
  return printObject({ ...object, metadata });
}

export function withoutManagedFields(object: unknown): unknown {
  if (!isTree(object) || !isTree(object["metadata"])) return object;
  const { managedFields: _record, ...metadata } = object["metadata"];
  return { ...object, metadata };
}

export type ParsedYaml =
  | { readonly ok: true; readonly object: Tree }
  | { readonly ok: false; readonly problem: string; readonly line: number };

/** The object of a text, or the first thing that is wrong with it and where. */
export function parseObject(text: string): ParsedYaml {
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const message = error.message.split("\n")[0] ?? "";
    return { ok: false, problem: message, line: error.linePos?.[0].line ?? 1 };
  }
  // Aliases that hold each other would grow without end.
  const object: unknown = document.toJS({ maxAliasCount: 100 });
  if (!isTree(object)) return { ok: false, problem: "An object is a map of fields", line: 1 };
  return { ok: true, object };
}
