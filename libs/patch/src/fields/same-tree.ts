import { isObject } from "@orch/schema/descriptor.js";

/**
 * Whether two JSON trees say the same. By recursion, which takes a third of the time of `equalJson`: what is compared
 * here came through decoders that bound its depth.
 */
export function sameTree(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && sameLists(a, b);
  if (!isObject(a) || !isObject(b)) return false;
  let size = 0;
  for (const name in a) {
    if (!sameTree(a[name], b[name]) || !Object.hasOwn(b, name)) return false;
    size++;
  }
  for (const _ in b) size--;
  return size === 0;
}

function sameLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!sameTree(a[i], b[i])) return false;
  return true;
}
