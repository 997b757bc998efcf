import { setOwn } from "@orch/schema/decode.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";

/**
 * `next` with the very objects and lists of `before` wherever both say the same, so that whoever compares the two later sees
 * at once where they differ; `before` itself where they do not. Neither is written to. For values whose depth the codecs
 * have bounded. The cost is linear in what both have.
 */
export function sharedObject(before: JsonObject, next: JsonObject): JsonObject {
  let copy: Record<string, unknown> | undefined;
  let different = 0;
  for (const name in next) {
    const given = next[name];
    const isThere = Object.hasOwn(before, name);
    const value = isThere ? sharedValue(before[name], given) : given;
    if (!isThere || value !== before[name]) different++;
    if (value === given) continue;
    copy ??= { ...next };
    setOwn(copy, name, value);
  }
  return different === 0 && Object.keys(before).length === Object.keys(next).length ? before : (copy ?? next);
}

function sharedValue(before: unknown, next: unknown): unknown {
  if (before === next) return before;
  if (Array.isArray(before) && Array.isArray(next)) return sharedList(before, next);
  return isObject(before) && isObject(next) ? sharedObject(before, next) : next;
}

/** Item by item at the same place: where one was put in or taken out, those after it stay as they are. */
function sharedList(before: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  let different = 0;
  for (let i = 0; i < next.length; i++) {
    const given = next[i];
    const value = i < before.length ? sharedValue(before[i], given) : given;
    if (value !== before[i]) different++;
    if (value === given) continue;
    copy ??= [...next];
    copy[i] = value;
  }
  return different === 0 && before.length === next.length ? before : (copy ?? next);
}
