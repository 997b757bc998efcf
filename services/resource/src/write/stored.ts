import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { objectOf } from "@orch/codec/json.js";
import { printStored, spliceVersion } from "@orch/codec/stored-object.js";
import { parseForm } from "@orch/render/form.js";
import type { Renderer } from "@orch/render/renderer.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { complete } from "@orch/schema/complete.js";
import { decode } from "@orch/schema/decode.js";
import { badRequest, tooLarge } from "@orch/status/api-error.js";
import { DamagedEntry, noObject } from "@orch/store/damaged-entry.js";
import type { StoredState } from "./recent-states.js";
import { keyOf, type Write } from "./write.js";

/** An object over this is refused. */
export const maxObjectBytes = 1.5 * 1024 * 1024;

/**
 * The object of a hub that an entry of the store holds, decoded as a request's is, with its resourceVersion.
 * @throws DamagedEntry where it is none
 */
export function storedObject(kind: Kind, entry: StoredState): AnyObject {
  try {
    return parsedObject(kind, entry.value, entry.revision);
  } catch (error) {
    throw new DamagedEntry(noObject(entry), error);
  }
}

/** An object that a write depends on, as it stands in the store now; one with a namespace is in the write's. */
export async function findStored(write: Write, kind: Kind, name: string): Promise<AnyObject | undefined> {
  const entry = await write.deps.store.get(keyOf({ ...write, kind }, name));
  return entry === undefined ? undefined : storedObject(kind, entry);
}

function parsedObject(kind: Kind, value: Buffer, revision: number | undefined): AnyObject {
  return withRevision(withMetadata(decode(kind.type, objectOf(value)).value), revision);
}

function withRevision(object: AnyObject, revision: number | undefined): AnyObject {
  if (revision === undefined) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** As the reference writes it: with the zeros that it always writes. @throws ApiError RequestEntityTooLarge */
export function storedBytes(kind: Kind, object: AnyObject): Buffer {
  const bytes = printStored(kind, { ...complete(kind.type, object), metadata: object.metadata });
  if (bytes.length > maxObjectBytes)
    throw tooLarge(`an object may have ${maxObjectBytes} bytes, this one has ${bytes.length}`);
  return bytes;
}

/** What a write came to. */
export interface Stored {
  readonly is: "created" | "changed" | "unchanged";
  readonly bytes: Buffer;
  /** Undefined for a creation that was only tried. */
  readonly revision: number | undefined;
  readonly warnings: readonly string[];
}

/** The answer to a write: what was stored, in the version and form that the request asks for. */
export function objectReply(write: Write, { is, bytes, revision, warnings }: Stored): WriteReply {
  const code = is === "created" ? 201 : 200;
  return { code, body: replyBody(write, bytes, revision), warnings: [...warnings, ...vainWarnings(write, bytes)] };
}

/** Whoever writes what has no effect yet is told so. */
function vainWarnings({ deps, kind, request }: Write, bytes: Buffer): readonly string[] {
  if (request.verb === "delete" || request.verb === "deletecollection" || request.subresource !== "") return [];
  const labels = () => withMetadata(objectOf(bytes)).metadata.labels;
  const warning = deps.notEnforced(kind, labels);
  return warning === undefined ? [] : [warning];
}

/** In JSON of the stored version: the stored bytes with their revision spliced in. */
function replyBody(write: Write, bytes: Buffer, revision: number | undefined): Buffer {
  const { kind, requested, request } = write;
  if (requested === kind && request.form === "" && request.subresource !== "scale") {
    return revision === undefined ? Buffer.concat([bytes, newline]) : spliceVersion(bytes, revision).bytes;
  }
  const renderer = rendererOf(write);
  // As it is stored, zeros that are always written included: a renderer shows it as the watch cache's does.
  const stored = withRevision(withMetadata(objectOf(bytes)), revision);
  const piece = renderer.piece(stored).at(write.deps.now());
  return renderer.document(piece, revision === undefined ? "" : String(revision));
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
