import { type Key, key, revision } from "../revision.js";
import type { Entry } from "../store.js";
import { type KeyValue, toNumber } from "./methods.js";

/** A copy that owns its memory: a decoded bytes field is a view that pins the whole message. */
function own(bytes: Uint8Array | null | undefined): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes?.length ?? 0);
  if (bytes !== null && bytes !== undefined) copy.set(bytes);
  return copy;
}

function view(bytes: Uint8Array | null | undefined): Buffer {
  if (bytes === null || bytes === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function keyOf(kv: KeyValue): Key {
  return key(view(kv.key).toString("utf8"));
}

export function toEntry(kv: KeyValue, { lent = false } = {}): Entry {
  return {
    key: keyOf(kv),
    value: lent ? view(kv.value) : own(kv.value),
    revision: revision(toNumber(kv.modRevision)),
    created: revision(toNumber(kv.createRevision)),
  };
}
