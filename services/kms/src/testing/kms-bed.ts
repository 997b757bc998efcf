import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { EncryptionConfiguration } from "@orch/encryption/configuration/configuration.js";
import { readConfiguration } from "@orch/encryption/configuration/read-configuration.js";
import { createNaming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/runtime/clock.js";
import { createLog } from "@orch/runtime/log.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { assembleKms } from "../assemble.js";
import type { PluginAnswers } from "../plugin/serve.js";
import { servePlugin } from "../plugin/serve.js";

export const naming = createNaming("kubernetes");
const head = { apiVersion: `${naming.group("apiserver.config")}/v1`, kind: "EncryptionConfiguration" };

export function configurationOf(resources: unknown): EncryptionConfiguration {
  const text = JSON.stringify({ ...head, resources });
  const read = readConfiguration(text, "c.yaml", { naming, allowsV1: true, reload: false });
  if (!read.ok) throw new Error(read.problem);
  return read.configuration;
}

/** A folder for sockets. */
export async function socketFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "orch-kms-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function startPlugin(t: TestContext, socket: string, answers: PluginAnswers) {
  const serving = await servePlugin(socket, answers);
  t.after(() => serving.kill());
  return serving;
}

const silent = createLog({ level: "error", format: "json", fields: {} }).log;

/** A service on configured plugins; not started. */
export function kmsWith(t: TestContext, resources: unknown, statusMs = 60_000) {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const configuration = configurationOf(resources);
  const kms = assembleKms(
    { configuration, hash: "", statusMs, reload: undefined },
    { serverId: "me", clock: systemClock, log: silent, metrics },
  );
  t.after(() => kms.stop());
  return { kms, metrics };
}

const turned = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0x5a));

export interface XorAnswers extends Required<PluginAnswers> {
  keyId: string;
  readonly calls: string[];
}

/** The plugin of the golden samples; it counts what it is asked. */
export function xorAnswers(): XorAnswers {
  const calls: string[] = [];
  const answers: XorAnswers = {
    keyId: "key-1",
    calls,
    v2: {
      status: () => {
        calls.push("Status");
        return { version: "v2", healthz: "ok", keyId: answers.keyId };
      },
      encrypt: (plaintext) => {
        calls.push("Encrypt");
        const annotations = { "version.encryption.example.com": Buffer.from("1") };
        return { ciphertext: turned(plaintext), keyId: answers.keyId, annotations };
      },
      decrypt: ({ ciphertext }) => {
        calls.push("Decrypt");
        return turned(ciphertext);
      },
    },
    v1: {
      version: () => {
        calls.push("Version");
        return "v1beta1";
      },
      encrypt: (plain) => {
        calls.push("Encrypt");
        return turned(plain);
      },
      decrypt: (cipher) => {
        calls.push("Decrypt");
        return turned(cipher);
      },
    },
  };
  return answers;
}

export const kmsProvider = (socket: string, fields: object = {}): object => ({
  kms: { apiVersion: "v2", name: "k", endpoint: `unix://${socket}`, timeout: "500ms", ...fields },
});
