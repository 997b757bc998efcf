import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Process } from "@orch/deploy/process.js";
import { trustDomain } from "@orch/deploy/service-files.js";
import { connect } from "@orch/rpc/link/grpc-client.js";
import { kmsKeySets } from "@orch/rpc/methods.js";
import { servicePeers } from "@orch/runtime/service-identity.js";
import type { TlsIdentity } from "@orch/runtime/tls-files.js";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { key } from "@orch/store/revision.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { clientOf } from "./harness/clients.js";
import {
  addPluginKey,
  encryptingWith,
  localKeys,
  pluginAt,
  startPluginProcess,
  storage,
  writeEncryption,
} from "./harness/encryption.js";
import { type DistributedTarget, newFolder, removeFolder, startDistributed } from "./harness/target.js";
import { until } from "./harness/until.js";

const secrets = { group: "", version: "v1", resource: "secrets", namespace: "default" };
const story = "a-story-that-nobody-else-may-read";

describe("encryption by services", { skip: etcdMissing() ?? false }, () => {
  let folder: string;
  let file: string;
  let keyFile: string;
  let plugin: Process;
  let target: DistributedTarget;

  before(async () => {
    folder = await newFolder();
    [file, keyFile] = [join(folder, "encryption.json"), join(folder, "keys.json")];
    await addPluginKey(keyFile, "one");
    plugin = await startPluginProcess(keyFile, join(folder, "k.sock"));
    await writeEncryption(file, ["secrets"], [pluginAt(join(folder, "k.sock")), localKeys("aesgcm", "old")]);
    target = await startDistributed({ kmsArgs: encryptingWith(file) });
  });
  after(async () => {
    await target.stop();
    await plugin.stop();
    await removeFolder(folder);
  });

  /** What stands in etcd of a secret. */
  async function stored(name: string): Promise<string> {
    const store = await openEtcdStore({
      endpoints: target.cluster.etcd.endpoints,
      prefix: target.naming.storePrefix,
    });
    try {
      const entry = await store.get(key(`${target.naming.storePrefix}secrets/default/${name}`));
      return entry?.value.toString("latin1") ?? "";
    } finally {
      await store.close();
    }
  }

  test("secrets are stored sealed and read, listed and watched as they are", async (t) => {
    const client = await clientOf(target);
    t.after(() => client.close());
    await client.create(secrets, { metadata: { name: "a", labels: { tale: "yes" } }, stringData: { story } });
    assert.match(await stored("a"), /^k8s:enc:kms:v2:plugin:/);
    assert.ok(!(await stored("a")).includes(Buffer.from(story).toString("base64")));
    const { items } = await client.list(secrets, { labelSelector: "tale=yes" });
    assert.deepEqual(items[0]?.["data"], { story: Buffer.from(story).toString("base64") });
    const other = await clientOf(target, 1);
    t.after(() => other.close());
    for (const path of ["/healthz/kms-providers", "/readyz/kms-providers"]) {
      await until(`${path} answers`, async () => {
        const { body } = await other.raw({ method: "GET", path }).catch(() => ({ body: Buffer.from("") }));
        return body.toString() === "ok" ? true : undefined;
      });
    }
  });

  test("keys are told to resource services and watch caches, and to nobody else", async (t) => {
    const [kms] = target.cluster.kms;
    assert.ok(kms);
    const { services } = target.cluster;
    const keysFor = async ({ identity }: { readonly identity: TlsIdentity }, waitForPeerMs = 500): Promise<string> => {
      const caller = connect({
        target: kms.addresses["rpc"] ?? "",
        waitForPeerMs,
        security: {
          credentials: { current: () => identity, onChange: () => {} },
          accepts: servicePeers(trustDomain, ["kms"]),
        },
      });
      t.after(() => caller.close());
      return new Promise((resolve) => {
        caller.open(kmsKeySets, {}, { message: () => resolve("keys"), end: (error) => resolve(String(error)) });
      });
    };
    assert.equal(await keysFor(services.resource, 10_000), "keys");
    assert.equal(await keysFor(services.watchCache, 10_000), "keys");
    for (const other of [services.gateway, services.controllerManager, services.admission, services.monitoring]) {
      assert.notEqual(await keysFor(other), "keys");
    }
  });

  test("while the service of keys is away reads and writes go on; one that is killed under load costs no request", async (t) => {
    const client = await clientOf(target);
    t.after(() => client.close());
    const failures: string[] = [];
    const stop = new AbortController();
    let written = 0;
    const writing = (async () => {
      while (!stop.signal.aborted) {
        const metadata = { name: `load-${written++ % 7}` };
        const body = { apiVersion: "v1", kind: "Secret", metadata, stringData: { i: String(written) } };
        const patch = { type: "application/apply-patch+yaml", fieldManager: "load", body };
        await client.patch(secrets, metadata.name, patch).catch((error: unknown) => failures.push(String(error)));
        await client.get(secrets, "a").catch((error: unknown) => failures.push(String(error)));
      }
    })();
    const [kms] = target.cluster.kms;
    assert.ok(kms);
    await until("there is load", () => (written > 20 ? true : undefined));
    await kms.kill();
    const before = written;
    await until("writes go on without it", () => (written > before + 50 ? true : undefined));
    await kms.restart();
    await plugin.kill();
    await until("writes go on without the plugin", () => (written > before + 100 ? true : undefined));
    await plugin.restart();
    await kms.kill();
    await kms.restart();
    await until("writes go on with it", () => (written > before + 150 ? true : undefined));
    stop.abort();
    await writing;
    assert.deepEqual(failures, []);
  });

  test("another key of the plugin reaches every service, and a migration exchanges it", async (t) => {
    const client = await clientOf(target);
    t.after(() => client.close());
    await client.create(secrets, { metadata: { name: "rotated" }, stringData: { story } });
    const before = await stored("rotated");
    await addPluginKey(keyFile, "two");
    await until("the secret is written anew", async () => {
      await storage(target, "migrate", "secrets");
      return (await stored("rotated")) !== before ? true : undefined;
    });
    assert.ok((await stored("rotated")).includes("two"));
    const { data } = await client.get(secrets, "rotated");
    assert.deepEqual(data, { story: Buffer.from(story).toString("base64") });
  });

  test("a watch cache that starts while the plugin is away tells what it cannot read, and reads it when it can", async (t) => {
    const client = await clientOf(target);
    t.after(() => client.close());
    const [kms] = target.cluster.kms;
    const [first, second] = target.cluster.watchCaches;
    assert.ok(kms && first && second);
    await plugin.kill();
    await kms.kill();
    await kms.restart();
    for (const cache of [first, second]) {
      await cache.kill();
      await cache.restart();
    }
    const told = await until("it says so", async () => {
      const answer = await client.get(secrets, "a").then(() => "read", String);
      return answer.includes("failed to decrypt DEK") ? answer : undefined;
    });
    assert.match(told, /rpc error: code = /);
    await client.list({ group: "", version: "v1", resource: "namespaces" });
    await plugin.restart();
    await until("it is read", () => client.get(secrets, "a").catch(() => undefined));
  });

  test("services that start while the service of keys is away read what is not sealed, and write once it is there", async (t) => {
    const client = await clientOf(target);
    t.after(() => client.close());
    const [kms] = target.cluster.kms;
    assert.ok(kms);
    await kms.kill();
    for (const each of [...target.cluster.watchCaches, ...target.cluster.resources]) {
      await each.kill();
      await each.restart();
    }
    const maps = { ...secrets, resource: "configmaps" };
    await until("objects are read", () => client.list(maps).catch(() => undefined));
    await assert.rejects(client.get(secrets, "a"), /the keys of the store are not there yet/);
    await assert.rejects(client.create(secrets, { metadata: { name: "without-keys" }, stringData: { story } }));
    assert.equal(await stored("without-keys"), "");
    await kms.restart();
    await until("it is read", () => client.get(secrets, "a").catch(() => undefined));
    await until("one is written", async () => {
      const made = await client
        .create(secrets, { metadata: { generateName: "s-" }, stringData: { story } })
        .catch(() => undefined);
      return made === undefined ? undefined : true;
    });
  });
});
