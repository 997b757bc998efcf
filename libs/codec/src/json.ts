import { isUtf8 } from "node:buffer";
import { type Decoded, maxDepth, noDuplicates, unreadable } from "./decoded.js";
import { inspectJson } from "./json-inspect.js";
import { countKeys, shapeOf } from "./json-shape.js";

export interface JsonLimits {
  /** Objects and lists inside one another; {@link maxDepth} where absent. */
  readonly maxDepth?: number;
}

/**
 * Reads one JSON text (spec 1: Behavior rules, 3: repeated keys are found, not dropped unseen).
 *
 * Refused: invalid UTF-8, anything after the value, nesting beyond the limit, numbers that overflow, integers
 * that a double would round. The cost of a sound body is JSON.parse and one pass over the bytes.
 */
export function parseJson(bytes: Buffer, limits: JsonLimits = {}): Decoded {
  if (!isUtf8(bytes)) return unreadable("json", "invalid UTF-8 in body", bytes);
  const depth = limits.maxDepth ?? maxDepth;
  const shape = shapeOf(bytes, depth);
  if (shape.tooDeep) return unreadable("json", `exceeded max depth of ${depth}`, bytes);
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable("json", inspectJson(text).problem ?? "invalid JSON", bytes);
  }
  if (!shape.riskyNumbers && shape.colons === countKeys(value)) return { ok: true, value, duplicates: noDuplicates };
  const { problem, duplicates } = inspectJson(text);
  return problem === undefined ? { ok: true, value, duplicates } : unreadable("json", problem, bytes);
}

/** A value as JSON with a closing newline; `pretty` indents by two spaces (query parameter `pretty`). */
export function printJson(value: unknown, options: { readonly pretty?: boolean } = {}): string {
  return `${JSON.stringify(value, null, options.pretty === true ? 2 : 0)}\n`;
}
