import { codePoints } from "../syntax/source.js";
import { ListValue, MapValue, Opaque, type Value } from "./value.js";

/** What the cost of a call counts of a value: code points, bytes, elements, entries; 1 of all else. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return codePoints(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof Opaque ? value.size() : 1;
}
