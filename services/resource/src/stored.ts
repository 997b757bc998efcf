import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { asVersion } from "@orch/api/writes.js";
import { printStored, spliceVersion } from "@orch/codec/stored-object.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { complete } from "@orch/schema/complete.js";
import { decode } from "@orch/schema/decode.js";
import { tooLarge } from "@orch/status/api-error.js";
import type { Entry } from "@orch/store/store.js";
import type { Write } from "./write.js";

/** An object over this is refused (design, section 6). */
export const maxObjectBytes = 1.5 * 1024 * 1024;

/** The object of a hub that an entry of the store holds, decoded as a request's is, with its resourceVersion. */
export function storedObject(kind: Kind, entry: Entry): AnyObject {
  return parsedObject(kind, entry.value, entry.revision);
}

function parsedObject(kind: Kind, value: Buffer, revision: number | undefined): AnyObject {
  const object = withMetadata(decode(kind.type, JSON.parse(value.toString("utf8"))).value);
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

/** The answer to a write: the bytes that were stored, in the version of the request, with theirs spliced in. */
export function objectReply(
  { kind, requested }: Pick<Write, "kind" | "requested">,
  bytes: Buffer,
  reply: { readonly code: number; readonly revision: number | undefined; readonly warnings?: readonly string[] },
): WriteReply {
  const asked =
    requested === kind ? bytes : printStored(requested, asVersion(requested, parsedObject(kind, bytes, undefined)));
  const body =
    reply.revision === undefined ? Buffer.concat([asked, newline]) : spliceVersion(asked, reply.revision).bytes;
  return { code: reply.code, body, warnings: reply.warnings ?? [] };
}

const newline = Buffer.from("\n");
