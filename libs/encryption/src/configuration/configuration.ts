/** An EncryptionConfiguration as it is in force: decoded, with defaults, found to be right. */
export interface EncryptionConfiguration {
  readonly rules: readonly ResourceRule[];
}

/** Which resources are stored by which providers: read by any of them, written by the first. */
export interface ResourceRule {
  /** As the file names them: `secrets`, `deployments.apps`, `*.apps`, `*.`, `*.*`. */
  readonly resources: readonly string[];
  readonly providers: readonly ProviderConfiguration[];
}

export type LocalCipher = "aescbc" | "aesgcm" | "secretbox";

export type ProviderConfiguration =
  | { readonly type: "identity" }
  | { readonly type: LocalCipher; readonly keys: readonly NamedKey[] }
  | KmsProviderConfiguration;

export interface NamedKey {
  readonly name: string;
  readonly secret: Buffer;
}

export interface KmsProviderConfiguration {
  readonly type: "kms";
  readonly version: "v1" | "v2";
  readonly name: string;
  /** The path of a Unix domain socket. */
  readonly socketPath: string;
  readonly timeoutMs: number;
  /** How many data keys are kept at hand; v1 alone, none below zero. */
  readonly cacheSize: number;
}

export const kmsProviders = ({ rules }: EncryptionConfiguration): readonly KmsProviderConfiguration[] =>
  rules.flatMap(({ providers }) => providers.flatMap((each) => (each.type === "kms" ? [each] : [])));
