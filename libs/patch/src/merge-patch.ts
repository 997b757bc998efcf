import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { refuseTooDeep } from "./depth.js";
import { draftOf, read, write, written } from "./draft.js";
import { malformedPatch } from "./malformed.js";

/** A parsed body as the merge patch of an object, which is itself one. @throws ApiError BadRequest */
export function readMergePatch(tree: unknown): JsonObject {
  if (isObject(tree)) return tree;
  throw malformedPatch("object", tree);
}

/**
 * The document with a JSON merge patch in it (RFC 7386; rules: Patch media types): objects are merged, null removes,
 * anything else replaces. Neither argument is written to; a document that the patch does not change comes back as it is.
 *
 * @throws ApiError BadRequest for a patch that is nested too deep
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  refuseTooDeep(patch);
  return merged(document, patch);
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const draft = draftOf(isObject(target) ? target : {});
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    write(draft, name, value === null ? undefined : merged(read(draft, name), value));
  }
  return written(draft);
}
