import type { Kind } from "@orch/api/catalog.js";
import { decodeObject } from "@orch/api/writes.js";
import { type ObjectBody, readObjectBody } from "@orch/render/body.js";
import type { WriteOptions } from "@orch/render/write-options.js";
import type { Write } from "./write.js";

/** The object that a write brings; `versions` as in {@link readObjectBody}. @throws ApiError BadRequest, UnsupportedMediaType */
export function readObject(
  { deps, request, own }: Pick<Write, "deps" | "request" | "own">,
  kind: Kind,
  validation: WriteOptions["fieldValidation"],
  versions: readonly string[] = [kind.apiVersion],
): ObjectBody {
  if (own !== undefined) return { object: decodeObject(kind, own).object, warnings: [] };
  const body = { bytes: request.body, contentType: request.contentType };
  const formats = kind.definition === undefined ? deps.formats : deps.customFormats;
  return readObjectBody(kind, { formats, body, validation, versions });
}
