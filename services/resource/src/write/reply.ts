import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { objectOf } from "@orch/codec/json.js";
import { spliceVersion } from "@orch/codec/stored-object.js";
import { parseForm } from "@orch/render/form.js";
import type { Renderer } from "@orch/render/renderer.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest } from "@orch/status/api-error.js";
import { shownIn } from "./conversions.js";
import { type Stored, withRevision } from "./storing/stored.js";
import type { Write } from "./write.js";

/** The answer to a write: what was stored, in the version and form that the request asks for. */
export function objectReply(write: Write, { is, bytes, revision, warnings }: Stored): WriteReply | Promise<WriteReply> {
  const code = is === "created" ? 201 : 200;
  const told = [...warnings, ...vainWarnings(write)];
  const body = replyBody(write, bytes, revision);
  if (body instanceof Promise) return body.then((late) => ({ code, body: late, warnings: told }));
  return { code, body, warnings: told };
}

/** Whoever writes what has no effect yet is told so. */
function vainWarnings({ deps, kind, request }: Write): readonly string[] {
  if (request.verb === "delete" || request.verb === "deletecollection" || request.subresource !== "") return [];
  const warning = deps.notEnforced(kind);
  return warning === undefined ? [] : [warning];
}

/** In JSON of the stored version: the stored bytes with their revision spliced in. */
function replyBody(write: Write, bytes: Buffer, revision: number | undefined): Buffer | Promise<Buffer> {
  const { requested, request } = write;
  if (requested === requested.stored && request.form === "" && request.subresource !== "scale") {
    return revision === undefined ? Buffer.concat([bytes, newline]) : spliceVersion(bytes, revision).bytes;
  }
  // As it is stored, zeros that are always written included: a renderer shows it as the watch cache's does.
  const stored = withMetadata(objectOf(bytes));
  if (requested.custom === undefined || requested === requested.stored) {
    return rendered(write, withRevision(stored, revision));
  }
  const shown = shownIn(write, stored, revision);
  return shown instanceof Promise ? shown.then((object) => rendered(write, object)) : rendered(write, shown);
}

function rendered(write: Write, object: AnyObject): Buffer {
  const renderer = rendererOf(write);
  const piece = renderer.piece(object).at(write.deps.now());
  return renderer.document(piece, object.metadata.resourceVersion ?? "");
}

/** A Status of success, for writes that answer no object. */
export function successReply(
  write: Write,
  code: number,
  warnings: readonly string[],
  details?: { readonly [name: string]: string | undefined },
): WriteReply {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    ...(details === undefined ? {} : { details }),
    // As the reference: a Status that stands for a created object tells its code, others of success do not.
    ...(code === 201 ? { code } : {}),
  };
  return { code, body: rendererOf(write).status(status), warnings };
}

/** How a write's answer is written. @throws ApiError BadRequest for a form that no gateway asks for */
export function rendererOf({ deps, requested, request }: Write): Renderer {
  const form = parseForm(request.form);
  if (form === undefined) throw badRequest(`unknown form ${JSON.stringify(request.form)}`);
  return deps.renderers.of(requested, form, request.subresource);
}

const newline = Buffer.from("\n");
