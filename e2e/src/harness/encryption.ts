import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Process } from "@orch/deploy/process.js";
import { startProcess } from "@orch/deploy/process.js";
import type { Target } from "./target.js";
import { writeWhole } from "./whole-file.js";

const script = (path: string): string => fileURLToPath(new URL(`../../../services/${path}`, import.meta.url));

export const secretOf = (name: string): string => Buffer.alloc(32, name).toString("base64");

/** A provider with local keys, the first of which writes. */
export const localKeys = (cipher: "aescbc" | "aesgcm" | "secretbox", ...names: readonly string[]): object => ({
  [cipher]: { keys: names.map((name) => ({ name, secret: secretOf(name) })) },
});

export const pluginAt = (socket: string, fields: object = {}): object => ({
  kms: { apiVersion: "v2", name: "plugin", endpoint: `unix://${socket}`, timeout: "1s", ...fields },
});

export const identity = { identity: {} };

/** Writes an EncryptionConfiguration for these resources; whole, as a careful operator does. */
export async function writeEncryption(
  path: string,
  resources: readonly string[],
  providers: readonly object[],
): Promise<void> {
  const file = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
  await writeWhole(path, JSON.stringify({ ...file, resources: [{ resources, providers }] }));
}

/** Flags with which a file is read again at once. */
export const encryptingWith = (path: string): readonly string[] => [
  `--encryption-provider-config=${path}`,
  "--encryption-provider-config-automatic-reload",
  "--encryption-provider-config-reload-interval=100ms",
  "--encryption-kms-status-interval=200ms",
];

/** `orch storage …` as the administrator of a target; what it printed. */
export async function storage(target: Target, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    script("cli/dist/main.js"),
    ...["storage", ...args, `--orchconfig=${target.clientConfig}`, "--api-dialect=kubernetes"],
  ]);
  return stdout;
}

/** Puts a new key before those of a key file. */
export async function addPluginKey(keyFile: string, id: string): Promise<void> {
  await promisify(execFile)(process.execPath, [
    script("kms/dist/kms-plugin/main.js"),
    ...[`--key-file=${keyFile}`, `--add-key=${id}`],
  ]);
}

/** The program orch-kms-plugin on a socket. */
export function startPluginProcess(keyFile: string, socket: string): Promise<Process> {
  return startProcess({
    name: "kms-plugin",
    script: script("kms/dist/kms-plugin/main.js"),
    args: [`--key-file=${keyFile}`, `--listen=${socket}`],
    sameAgain: () => [],
  });
}

/** How often a text stands in the files below a folder, as it is or in base64. */
export async function timesIn(folder: string, text: string): Promise<number> {
  const forms = [text, ...[0, 1, 2].map((shift) => middleOfBase64(text, shift))];
  let times = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    for (const form of forms) {
      for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1)) times++;
    }
  }
  return times;
}

/** What of a text's base64 does not depend on what stands before and behind it, where so many bytes do before. */
function middleOfBase64(text: string, shift: number): string {
  return Buffer.from("x".repeat(shift) + text)
    .toString("base64")
    .slice(4, -4);
}
