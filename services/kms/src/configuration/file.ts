import { hash } from "node:crypto";
import type { EncryptionConfiguration } from "@orch/encryption/configuration/configuration.js";
import { type ReadOptions, readConfiguration } from "@orch/encryption/configuration/read-configuration.js";
import { messageOf } from "@orch/status/message-of.js";

/** The file of `--encryption-provider-config`, as it stands. */
export type ConfigurationFile =
  | { readonly ok: true; readonly hash: string; readonly configuration: EncryptionConfiguration }
  /** The hash is empty where the file could not be read. */
  | { readonly ok: false; readonly hash: string; readonly problem: string };

export interface FileOptions extends ReadOptions {
  readonly path: string;
  /** Gives a file's text. */
  readonly read: (path: string) => string;
}

export function readFile({ path, read, ...options }: FileOptions): ConfigurationFile {
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    const why = isMissing(error) ? `open ${path}: no such file or directory` : messageOf(error);
    const problem = `error while parsing file: error while loading file: error reading encryption provider configuration file ${JSON.stringify(path)}: ${why}`;
    return { ok: false, hash: "", problem };
  }
  const result = readConfiguration(text, path, options);
  const sum = `sha256:${hash("sha256", text)}`;
  return { ...result, hash: sum };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
