/** `proto/kms.proto` as plain values. */
export interface KmsKeySet {
  readonly rules: readonly KmsRule[];
}

export interface KmsRule {
  readonly resources: readonly string[];
  readonly providers: readonly KmsProvider[];
}

export type KmsCipher = "aescbc" | "aesgcm" | "secretbox";

export type KmsProvider =
  | { readonly type: "identity" }
  | { readonly type: KmsCipher; readonly keys: readonly { readonly name: string; readonly secret: Buffer }[] }
  | { readonly type: "kms-v1"; readonly name: string; readonly cacheSize: number }
  | { readonly type: "kms-v2"; readonly name: string; readonly write: KmsWriteKey | undefined; readonly why: string };

export interface KmsWriteKey {
  readonly seed: Buffer;
  readonly keyId: string;
  readonly wrapped: Buffer;
  readonly annotations: Readonly<Record<string, Buffer>>;
  readonly type: number;
}

export interface UnwrapRequest {
  readonly provider: string;
  readonly version: "v1" | "v2";
  readonly wrapped: Buffer;
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Buffer>>;
}

export interface WrapRequest {
  readonly provider: string;
  readonly key: Buffer;
}

export type PluginReply =
  | { readonly type: "answered"; readonly key: Buffer }
  /** `away`: the plugin did not answer. */
  | { readonly type: "failed"; readonly failure: string; readonly away: boolean };

export interface HealthReply {
  /** The health checks of plugins; the reason is "" where nothing is wrong. */
  readonly checks: readonly { readonly name: string; readonly reason: string }[];
  /** The configuration is read again when it changes. */
  readonly reloads: boolean;
}
