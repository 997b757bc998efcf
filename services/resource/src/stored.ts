import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { printStored, spliceVersion } from "@orch/codec/stored-object.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { tooLarge } from "@orch/status/api-error.js";
import type { Entry } from "@orch/store/store.js";

/** An object over this is refused (design, section 6). */
export const maxObjectBytes = 1.5 * 1024 * 1024;

/** The object that an entry of the store holds, with its resourceVersion. Only we write there: no check again. */
export function storedObject(entry: Entry): AnyObject {
  const object: AnyObject = JSON.parse(entry.value.toString("utf8"));
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(entry.revision) } };
}

/** @throws ApiError RequestEntityTooLarge */
export function storedBytes(kind: Kind, object: AnyObject): Buffer {
  const bytes = printStored(kind, object);
  if (bytes.length > maxObjectBytes)
    throw tooLarge(`an object may have ${maxObjectBytes} bytes, this one has ${bytes.length}`);
  return bytes;
}

/** The answer to a write: the bytes that were stored, with their version spliced in. */
export function objectReply(
  bytes: Buffer,
  reply: { readonly code: number; readonly revision: number | undefined; readonly warnings?: readonly string[] },
): WriteReply {
  const body =
    reply.revision === undefined ? Buffer.concat([bytes, newline]) : spliceVersion(bytes, reply.revision).bytes;
  return { code: reply.code, body, warnings: reply.warnings ?? [] };
}

const newline = Buffer.from("\n");
