import type { LocalCipher, NamedKey } from "./configuration/configuration.js";
import type { KeySource } from "./envelope/encrypted-object.js";

/**
 * All that a process needs to seal and open values: an EncryptionConfiguration with, of each plugin of v2, the key that is to be
 * written with. It stands in memory only.
 */
export interface KeySet {
  readonly rules: readonly KeyRule[];
}

export interface KeyRule {
  /** As the configuration names them. */
  readonly resources: readonly string[];
  /** Read by any of them, written by the first. */
  readonly providers: readonly KeyProvider[];
}

export type KeyProvider =
  | { readonly type: "identity" }
  | { readonly type: LocalCipher; readonly keys: readonly NamedKey[] }
  | KmsV1Keys
  | KmsV2Keys;

export interface KmsV1Keys {
  readonly type: "kms-v1";
  readonly name: string;
  /** How many data keys are kept; none below zero. */
  readonly cacheSize: number;
}

export interface KmsV2Keys {
  readonly type: "kms-v2";
  readonly name: string;
  /** Undefined where nothing can be written: `why` tells. */
  readonly write: WriteKey | undefined;
  readonly why: string;
}

/** A seed with what its plugin made of it. */
export interface WriteKey extends KeySource {
  readonly seed: Buffer;
}
