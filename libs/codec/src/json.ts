import { isUtf8 } from "node:buffer";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import { readJson } from "@orch/status/read-json.js";
import { type Decoded, maxDepth, noDuplicates, unreadable } from "./decoded.js";
import { inspectJson } from "./json-inspect.js";
import { countKeys, shapeOf } from "./json-shape.js";

export interface JsonLimits {
  /** Objects and lists inside one another; {@link maxDepth} where absent. */
  readonly maxDepth?: number;
}

/**
 * Reads one JSON text (rules: Behavior rules, 3: repeated keys are found, not dropped unseen).
 *
 * Refused: invalid UTF-8, anything after the value, nesting beyond the limit, numbers that overflow, integers of more
 * than 64 bits. The cost of a sound body is JSON.parse and one pass over the bytes.
 */
export function parseJson(bytes: Buffer, limits: JsonLimits = {}): Decoded {
  if (!isUtf8(bytes)) return unreadable("json", "invalid UTF-8 in body", bytes);
  const depth = limits.maxDepth ?? maxDepth;
  const shape = shapeOf(bytes, depth);
  if (shape.tooDeep) return unreadable("json", `exceeded max depth of ${depth}`, bytes);
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    return unreadable("json", inspectJson(text).problem ?? "invalid JSON", bytes);
  }
  if (!shape.riskyNumbers && shape.colons === countKeys(value)) return { ok: true, value, duplicates: noDuplicates };
  const inspection = inspectJson(text, value);
  if (inspection.problem !== undefined) return unreadable("json", inspection.problem, bytes);
  const { duplicates, floats } = inspection;
  return { ok: true, value: inspection.value, duplicates, ...(floats === undefined ? {} : { floats }) };
}

const manyDigits = /\d{16}/;

/** The tree of a JSON text that this server printed: it is valid, and cheaper to read than a client's. @throws SyntaxError */
export function treeOf(bytes: Buffer): unknown {
  const text = bytes.toString("utf8");
  const value: unknown = readJson(text);
  return manyDigits.test(text) && shapeOf(bytes, Number.POSITIVE_INFINITY).riskyNumbers
    ? inspectJson(text, value).value
    : value;
}

/** {@link treeOf} of an object. @throws SyntaxError */
export function objectOf(bytes: Buffer): JsonObject {
  const tree = treeOf(bytes);
  if (!isObject(tree)) throw new SyntaxError("a JSON text that is no object");
  return tree;
}

/** A value as JSON with a closing newline; `pretty` indents by two spaces (query parameter `pretty`). */
export function printJson(value: unknown, options: { readonly pretty?: boolean } = {}): string {
  return `${jsonText(value, options.pretty === true ? 2 : 0)}\n`;
}
