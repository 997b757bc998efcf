import { badRequest } from "@orch/status/api-error.js";

/** Objects and lists inside one another that a patch may hold or make: what the codecs read (`libs/codec`). */
export const maxDepth = 512;

/** Whether a JSON tree is deeper than {@link maxDepth}. Takes no stack, whatever the depth. */
export function isTooDeep(tree: unknown): boolean {
  let level: unknown[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      if (depth === maxDepth) return true;
      for (const inner of Object.values(value)) if (typeof inner === "object") below.push(inner);
    }
    level = below;
  }
  return false;
}

/** @throws ApiError BadRequest for a patch that could not have been read */
export function refuseTooDeep(patch: unknown): void {
  if (isTooDeep(patch)) throw badRequest(`error decoding patch: exceeded max depth of ${maxDepth}`);
}
