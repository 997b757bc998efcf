import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { ApiObject } from "@orch/client/objects.js";
import type { Process } from "@orch/deploy/process.js";
import { readJson } from "@orch/status/read-json.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { key, noRevision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { clientOf } from "./harness/clients.js";
import {
  addPluginKey,
  encryptingWith,
  identity,
  localKeys,
  pluginAt,
  startPluginProcess,
} from "./harness/encryption.js";
import { buildSaying } from "./harness/foreign-program.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";

interface Row {
  readonly provider: string;
  /** Stored by that provider, and what its objects are made of. */
  readonly resource: string;
  readonly body: object;
  /** What stands before the bytes that are sealed. */
  readonly prefix: string;
}

const rows: readonly Row[] = [
  { provider: "aescbc", resource: "secrets", body: { data: { a: "eA==" } }, prefix: "k8s:enc:aescbc:v1:one:" },
  { provider: "aesgcm", resource: "configmaps", body: { data: { a: "x" } }, prefix: "k8s:enc:aesgcm:v1:one:" },
  { provider: "secretbox", resource: "limitranges", body: { spec: {} }, prefix: "k8s:enc:secretbox:v1:one:" },
  { provider: "kms v2", resource: "endpoints", body: { subsets: [] }, prefix: "k8s:enc:kms:v2:plugin:" },
  { provider: "kms v1", resource: "resourcequotas", body: { spec: {} }, prefix: "k8s:enc:kms:v1:old-plugin:" },
  { provider: "identity", resource: "serviceaccounts", body: {}, prefix: "{" },
];

interface Question {
  readonly do: "open" | "seal";
  readonly resource: string;
  readonly key: string;
  /** Base64. */
  readonly value: string;
}

interface Answer {
  readonly value?: string;
  readonly stale?: boolean;
  readonly error?: string;
}

const missing = etcdMissing();

describe("the reference's own library", { skip: missing ?? false }, () => {
  let folder: string;
  let file: string;
  let plugin: Process;
  let target: StandaloneTarget;
  let store: Store;
  let why: string | undefined;
  const program = (): string => join(folder, "oracle");

  before(async () => {
    folder = await newFolder();
    const [keyFile, socket] = [join(folder, "keys.json"), join(folder, "k.sock")];
    why = await buildSaying("the oracle of encryption", {
      ...{ module: "aggregated", package: "./encryption", to: program() },
    });
    if (why !== undefined) return;
    file = join(folder, "encryption.json");
    await addPluginKey(keyFile, "one");
    plugin = await startPluginProcess(keyFile, socket);
    const providers: Readonly<Record<string, object>> = {
      aescbc: localKeys("aescbc", "one", "two"),
      aesgcm: localKeys("aesgcm", "one"),
      secretbox: localKeys("secretbox", "one"),
      "kms v2": pluginAt(socket),
      "kms v1": pluginAt(socket, { apiVersion: "v1", name: "old-plugin" }),
      identity,
    };
    const resources = rows.map(({ resource, provider }) => ({
      resources: [resource],
      providers: [providers[provider], ...(provider === "identity" ? [] : [identity])],
    }));
    const group = "apiserver.config.k8s.io";
    await writeFile(file, JSON.stringify({ apiVersion: `${group}/v1`, kind: "EncryptionConfiguration", resources }));
    const args = [...encryptingWith(file), "--feature-gates=KMSv1=true", "--controllers="];
    target = await startStandalone({ etcd: true, args });
    store = await openEtcdStore({ endpoints: target.etcd?.endpoints ?? [], prefix: target.naming.storePrefix });
  });
  after(async () => {
    await store?.close();
    await target?.stop();
    await plugin?.stop();
    await removeFolder(folder);
  });

  /** What it says to these questions, with the server's own configuration. */
  async function ask(...questions: readonly Question[]): Promise<readonly Answer[]> {
    const lines = await new Promise<string>((resolve, reject) => {
      const asked = execFile(program(), [`--config=${file}`], (error, out, err) =>
        error === null ? resolve(out) : reject(new Error(err)),
      );
      asked.stdin?.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(""));
    });
    return lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Answer => readJson(line));
  }

  for (const { provider, resource, body, prefix } of rows) {
    test(`${provider}: it opens what we have stored, and we read what it has sealed`, async (t) => {
      if (why !== undefined) return t.skip(`SKIPPED LOUDLY: ${why}`);
      const client = await clientOf(target);
      t.after(() => client.close());
      const collection = { group: "", version: "v1", resource, namespace: "default" };
      const made = await client.create(collection, { metadata: { name: "ours" }, ...body });
      const { entries } = await store.range({ prefix: key(target.naming.storePrefix) });
      const ours = entries.find((entry) => entry.key.endsWith(`/${resource}/default/ours`));
      assert.ok(ours);
      assert.equal(ours.value.subarray(0, prefix.length).toString("latin1"), prefix);

      const [opened] = await ask({ do: "open", resource, key: ours.key, value: ours.value.toString("base64") });
      assert.deepEqual([opened?.error, opened?.stale], [undefined, undefined]);
      const plain = Buffer.from(opened?.value ?? "", "base64").toString();
      const kept: ApiObject = readJson(plain);
      assert.equal(kept.metadata.uid, made.metadata.uid);

      const theirs = Buffer.from(plain.replaceAll('"ours"', '"theirs"')).toString("base64");
      const at = key(ours.key.replace(/ours$/, "theirs"));
      const [sealed] = await ask({ do: "seal", resource, key: at, value: theirs });
      assert.equal(sealed?.error, undefined);
      const bytes = Buffer.from(sealed?.value ?? "", "base64");
      assert.equal(bytes.subarray(0, prefix.length).toString("latin1"), prefix);
      assert.equal((await store.swap({ key: at, value: bytes, expected: noRevision })).done, true);
      const read = await client.get(collection, "theirs");
      assert.deepEqual([read.metadata.name, read.metadata.uid], ["theirs", made.metadata.uid]);
    });
  }
});
