import { hash } from "node:crypto";
import { revision } from "../revision.js";
import type { Proof } from "../store.js";
import { type EtcdEvent, eventType, type KeyValue, toNumber } from "./methods.js";
import { keyOf } from "./values.js";

/** How a key was left by its last change, as far as it takes to recognize it. */
export interface Trace {
  readonly key: Uint8Array;
  readonly revision: number;
  /** Of the value; undefined where the change deleted the key. */
  readonly digest: string | undefined;
}

/**
 * An etcd that was set back to a backup and has grown again has the same keys and revisions; only the value
 * tells the histories apart.
 */
export function proofOf(kv: KeyValue): Proof {
  return { key: keyOf(kv), revision: revision(toNumber(kv.modRevision)), digest: digestOf(kv) };
}

export function traceOfProof({ key, revision, digest }: Proof): Trace {
  return { key: Buffer.from(key), revision, digest };
}

export function traceOfEvent({ type, kv }: EtcdEvent): Trace | undefined {
  if (kv?.key === null || kv?.key === undefined) return undefined;
  const digest = type === eventType.DELETE ? undefined : digestOf(kv);
  return { key: kv.key, revision: toNumber(kv.modRevision), digest };
}

/** Whether a key is as its last change left it. */
export function isLeftBy({ revision, digest }: Trace, found: KeyValue | undefined): boolean {
  if (digest === undefined || found === undefined) return digest === undefined && found === undefined;
  return toNumber(found.modRevision) === revision && digestOf(found) === digest;
}

function digestOf({ value }: KeyValue): string {
  return hash("sha256", value ?? nothing, "base64");
}

const nothing = new Uint8Array();
