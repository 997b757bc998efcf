import { isObject } from "@orch/schema/descriptor.js";

/**
 * Whether two decoded and defaulted values mean the same: nothing, `{}` and `[]` are equal. Of values whose type is at
 * hand `equal` of the schema tells more (quantities by value, an empty pointer from none).
 */
export function sameMeaning(a: unknown, b: unknown): boolean {
  if (a === b || (isNothing(a) && isNothing(b))) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => sameMeaning(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) {
    return (isNothing(a) && isHollow(b)) || (isNothing(b) && isHollow(a));
  }
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => sameMeaning(a[name], b[name]));
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isHollow(value: unknown): boolean {
  if (isNothing(value)) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every(isHollow);
}
