import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { badRequest } from "@orch/status/api-error.js";
import { maxDepth } from "./depth.js";
import { draftOf, read, write, written } from "./draft.js";

const empty: JsonObject = {};

/** A parsed body as the merge patch of an object, which is itself one. @throws ApiError BadRequest */
export function readMergePatch(tree: unknown): JsonObject {
  if (isObject(tree)) return tree;
  const got = Array.isArray(tree) ? "array" : tree === null ? "null" : typeof tree;
  throw badRequest(`error decoding patch: expected object, got ${got}`);
}

/**
 * The document with a JSON merge patch in it (RFC 7386; spec 1: Patch media types): objects are merged, null removes,
 * anything else replaces. Neither argument is written to; a document that the patch does not change comes back as it is.
 *
 * @throws ApiError BadRequest for a patch that is nested too deep
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  return merged(document, patch, 0);
}

function merged(target: unknown, patch: unknown, depth: number): unknown {
  if (!isObject(patch)) return patch;
  if (depth === maxDepth) throw badRequest(`error decoding patch: exceeded max depth of ${maxDepth}`);
  const draft = draftOf(isObject(target) ? target : empty);
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    write(draft, name, value === null ? undefined : merged(read(draft, name), value, depth + 1));
  }
  // An object that comes to be empty is a new one: nobody else's.
  return draft.source === empty ? { ...written(draft) } : written(draft);
}
