import { isRecord } from "@orch/client/objects.js";

/**
 * Whether two values are the same to a reader of their JSON: in whatever order fields stand, and whether what is absent is
 * written down or not.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, i) => sameJson(each, b[i]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const name in a) if (a[name] !== undefined && !sameJson(a[name], b[name])) return false;
  for (const name in b) if (b[name] !== undefined && a[name] === undefined) return false;
  return true;
}
