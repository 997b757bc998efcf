import type { EncryptionConfiguration } from "@orch/encryption/configuration/configuration.js";
import type { Naming } from "@orch/naming/naming.js";
import type { FeatureGates } from "@orch/runtime/flags/feature-gates.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { type ConfigurationFile, readFile } from "./configuration/file.js";
import type { encryptionFlags } from "./flags.js";

/** What the flags and the file that they name say. */
export interface KmsSettings {
  readonly configuration: EncryptionConfiguration;
  readonly hash: string;
  /** How often plugins are asked for their status while they are well. */
  readonly statusMs: number;
  /** Undefined where the file is read once. */
  readonly reload: { readonly everyMs: number; readonly read: () => ConfigurationFile } | undefined;
}

export interface SettingsDeps {
  readonly gates: FeatureGates;
  readonly naming: Naming;
  /** Gives a file's text. */
  readonly read: (path: string) => string;
}

export type ReadSettings =
  /** Undefined where nothing is encrypted. */
  { readonly ok: true; readonly value: KmsSettings | undefined } | { readonly ok: false; readonly problem: string };

export function kmsSettings(
  values: FlagValues<typeof encryptionFlags>,
  { gates, naming, read }: SettingsDeps,
): ReadSettings {
  const path = values["encryption-provider-config"];
  const reload = values["encryption-provider-config-automatic-reload"];
  if (path === "") {
    if (!reload) return { ok: true, value: undefined };
    const problem = "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config";
    return { ok: false, problem };
  }
  const readNow = (): ConfigurationFile => readFile({ path, naming, read, reload, allowsV1: gates.enabled("KMSv1") });
  const file = readNow();
  if (!file.ok) return file;
  const { configuration, hash } = file;
  const everyMs = Math.max(values["encryption-provider-config-reload-interval"], leastMs);
  const statusMs = Math.max(values["encryption-kms-status-interval"], leastMs);
  return {
    ok: true,
    value: { configuration, hash, statusMs, reload: reload ? { everyMs, read: readNow } : undefined },
  };
}

const leastMs = 50;
