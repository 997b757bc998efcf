import type { JsonObject } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";

/**
 * How an object stands in the store: its JSON with kind and apiVersion, then metadata,
 * without `resourceVersion`, which is the revision of its key and is spliced in at a known place:
 *
 *     {"kind":"ConfigMap","apiVersion":"v1","metadata":{                        "name":…}…}      stored
 *     {"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"17","name":…}…}\n    as clients get it
 *     ^0                                   ^itemAt                        ^versionAt
 */
export interface Spliced {
  readonly bytes: Buffer;
  /** Where `"metadata"` begins: a list's item is `{` and the bytes from here. */
  readonly itemAt: number;
  /** Where the digits of the version begin. */
  readonly versionAt: number;
}

const metadataOpen = Buffer.from('"metadata":{');
const versionOpen = Buffer.from('"resourceVersion":"');
const versionClose = Buffer.from('",');
const newline = 0x0a;

/**
 * The stored value as clients get it, in memory of its own or what `allocate` gives. @throws SyntaxError when it has no
 * metadata
 */
export function spliceVersion(
  value: Buffer,
  revision: number,
  allocate: (size: number) => Buffer = Buffer.allocUnsafeSlow,
): Spliced {
  const itemAt = value.indexOf(metadataOpen);
  if (itemAt < 0) throw new SyntaxError("a stored value without metadata");
  const splice = itemAt + metadataOpen.length;
  const version = String(revision);
  const versionAt = splice + versionOpen.length;
  const rest = versionAt + version.length + versionClose.length;
  const bytes = allocate(rest + value.length - splice + 1);
  value.copy(bytes, 0, 0, splice);
  versionOpen.copy(bytes, splice);
  bytes.write(version, versionAt, "latin1");
  versionClose.copy(bytes, rest - versionClose.length);
  value.copy(bytes, rest, splice);
  bytes[bytes.length - 1] = newline;
  return { bytes, itemAt, versionAt };
}

/** metadata's fields in the order in which they are stored. */
const metadataOrder = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const;

interface Named {
  readonly kind: string;
  readonly apiVersion: string;
}

/** What an object's stored bytes say. Its `metadata` has at least a name; a resourceVersion in it is left out. */
export function storedTree(kind: Named, object: { readonly metadata: object }): JsonObject {
  const metadata: Record<string, unknown> = {};
  for (const name of metadataOrder) {
    const value: unknown = Reflect.get(object.metadata, name);
    if (value !== undefined) metadata[name] = value;
  }
  const { metadata: _metadata, kind: _kind, apiVersion: _apiVersion, ...rest } = object as Record<string, unknown>;
  return { kind: kind.kind, apiVersion: kind.apiVersion, metadata, ...rest };
}

/** An object's stored bytes: {@link storedTree} as a text. */
export function printStored(kind: Named, object: { readonly metadata: object }): Buffer {
  return Buffer.from(jsonText(storedTree(kind, object)));
}
