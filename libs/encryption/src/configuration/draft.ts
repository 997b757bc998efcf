import type { LocalCipher } from "./configuration.js";

/** A file's fields as they stand there, of the right types and not yet judged. */
export interface ConfigurationDraft {
  readonly resources: readonly RuleDraft[];
}

export interface RuleDraft {
  readonly resources: readonly string[];
  readonly providers: readonly ProviderDraft[];
}

export interface ProviderDraft {
  readonly identity: boolean;
  readonly local: Readonly<Partial<Record<LocalCipher, readonly KeyDraft[]>>>;
  readonly kms: KmsDraft | undefined;
}

export interface KeyDraft {
  readonly name: string;
  readonly secret: string;
}

export interface KmsDraft {
  readonly apiVersion: string;
  readonly name: string;
  readonly endpoint: string;
  /** Undefined where the file says nothing. */
  readonly cacheSize: number | undefined;
  readonly timeoutMs: number | undefined;
}

export const localCiphers: readonly LocalCipher[] = ["aesgcm", "aescbc", "secretbox"];
