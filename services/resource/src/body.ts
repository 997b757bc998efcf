import type { Kind } from "@orch/api/catalog.js";
import { type ObjectBody, readObjectBody } from "@orch/render/body.js";
import type { WriteOptions } from "@orch/render/write-options.js";
import type { Write } from "./write.js";

/** The object that a write brings; `versions` as in {@link readObjectBody}. @throws ApiError BadRequest, UnsupportedMediaType */
export function readObject(
  { deps, request }: Pick<Write, "deps" | "request">,
  kind: Kind,
  validation: WriteOptions["fieldValidation"],
  versions: readonly string[] = [kind.apiVersion],
): ObjectBody {
  const body = { bytes: request.body, contentType: request.contentType };
  return readObjectBody(kind, { formats: deps.formats, body, validation, versions });
}
