import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import type { ApiObject } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { freePorts } from "@orch/store/testing/etcd-server.js";
import { clientOf } from "./harness/clients.js";
import {
  addPluginKey,
  encryptingWith,
  identity,
  localKeys,
  pluginAt,
  startPluginProcess,
  storage,
  timesIn,
  writeEncryption,
} from "./harness/encryption.js";
import { type PageMetric, readPage } from "./harness/metrics-page.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const secrets = { group: "", version: "v1", resource: "secrets", namespace: "default" };
const configMaps = { group: "", version: "v1", resource: "configmaps", namespace: "default" };
const widgets = { group: "stable.example.com", version: "v1", resource: "widgets", namespace: "default" };
const definitions = { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions" };

const widgetDefinition = {
  metadata: { name: "widgets.stable.example.com" },
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

const all = ["secrets", "configmaps", "widgets.stable.example.com"];

interface Bed {
  readonly folder: string;
  readonly file: string;
  start(...args: readonly string[]): Promise<{ readonly target: StandaloneTarget; readonly client: Client }>;
}

/** A folder with a data directory, which servers come to one after the other. */
async function bed(t: TestContext): Promise<Bed> {
  const folder = await newFolder();
  t.after(() => removeFolder(folder));
  const file = join(folder, "encryption.json");
  await mkdir(join(folder, "data"));
  return {
    folder,
    file,
    async start(...args) {
      const target = await startStandalone({ dataDir: join(folder, "data"), args: [...args, "--history-duration=1s"] });
      const client = await clientOf(target);
      t.after(async () => {
        await client.close();
        await target.stop();
      });
      return { target, client };
    },
  };
}

const said = async (answer: Promise<unknown>): Promise<string> => {
  try {
    await answer;
    return "nothing";
  } catch (error) {
    if (!(error instanceof ApiError)) return String(error);
    return `${error.code} ${error.reason}: ${error.message}`;
  }
};

const marker = "a-story-that-nobody-else-may-read";

/** Writes of each kind, with changes and deletions. */
async function tellStories(client: Client): Promise<void> {
  await client.create(definitions, widgetDefinition);
  await client.create(secrets, { metadata: { name: "a", labels: { tale: marker } }, stringData: { story: marker } });
  await client.create(configMaps, { metadata: { name: "a" }, data: { story: marker } });
  const widget = { apiVersion: "stable.example.com/v1", kind: "Widget", metadata: { name: "a" }, story: marker };
  await until("widgets are served", async () => {
    try {
      return await client.create(widgets, widget);
    } catch (error) {
      if (error instanceof ApiError && error.reason === "NotFound") return undefined;
      throw error;
    }
  });
  for (const collection of [secrets, configMaps]) {
    await client.create(collection, { metadata: { name: "b" }, stringData: { story: marker } });
    await client.patch(collection, "b", { type: "application/merge-patch+json", body: { data: { x: "eA==" } } });
    await client.delete(collection, "b");
  }
}

const storyOf = async (client: Client): Promise<readonly unknown[]> => {
  const [secret, map, widget] = await Promise.all([
    client.get(secrets, "a"),
    client.get(configMaps, "a"),
    client.get(widgets, "a"),
  ]);
  const story = ({ data }: ApiObject): string => String(data instanceof Object ? Reflect.get(data, "story") : "");
  return [Buffer.from(story(secret), "base64").toString(), story(map), widget["story"]];
};

const whole = [marker, marker, marker];

test("a data directory without its keys gives nothing away, and a server without them says so", async (t) => {
  const { folder, file, start } = await bed(t);
  await writeEncryption(file, all, [localKeys("aesgcm", "one")]);
  const first = await start(...encryptingWith(file));
  await tellStories(first.client);
  assert.deepEqual(await storyOf(first.client), whole);
  const selected = await first.client.list(secrets, { labelSelector: `tale=${marker}` });
  assert.deepEqual(
    selected.items.map(({ metadata }) => metadata.name),
    ["a"],
  );
  await first.target.process.stop();
  assert.equal(await timesIn(join(folder, "data", "store"), marker), 0);

  const second = await start();
  assert.equal(
    await said(second.client.get(secrets, "a")),
    "500 InternalError: Internal error occurred: identity transformer tried to read encrypted data",
  );
  assert.equal(
    await said(second.client.list(secrets)),
    `500 InternalError: Internal error occurred: unable to transform key "${second.target.naming.storePrefix}secrets/default/a": identity transformer tried to read encrypted data`,
  );
  const namespaces = await second.client.list({ group: "", version: "v1", resource: "namespaces" });
  assert.ok(namespaces.items.length >= 4, "others are not concerned");
  await second.target.process.stop();
  const third = await start(...encryptingWith(file));
  assert.deepEqual(await storyOf(third.client), whole);
});

test("a key is exchanged for another one, and encryption turned off again, while requests are served", async (t) => {
  const { folder, file, start } = await bed(t);
  await writeEncryption(file, all, [localKeys("aescbc", "one")]);
  const { target, client } = await start(...encryptingWith(file));
  await tellStories(client);
  let failures = 0;
  let writes = 0;
  const stop = new AbortController();
  const writing = (async () => {
    for (let i = 0; !stop.signal.aborted; i++) {
      const body: ApiObject = { metadata: { name: `busy-${i % 5}` }, data: { i: String(i) } };
      await client
        .patch(configMaps, `busy-${i % 5}`, {
          ...{ type: "application/apply-patch+yaml", fieldManager: "busy" },
          body: { apiVersion: "v1", kind: "ConfigMap", ...body },
        })
        .catch(() => failures++);
      writes++;
    }
  })();
  const reloads = () => sum(target, "apiserver_encryption_config_controller_automatic_reloads_total");
  const change = async (...providers: readonly object[]): Promise<void> => {
    const before = await reloads();
    await writeEncryption(file, all, providers);
    await until("the file is read again", async () => ((await reloads()) > before ? true : undefined));
  };

  await change(localKeys("aescbc", "two", "one"));
  assert.deepEqual(await storyOf(client), whole);
  const said = await storage(target, "migrate", ...all);
  assert.match(said, /secrets: 1 objects, 1 written anew/);
  assert.match(said, /widgets.stable.example.com: 1 objects, 1 written anew/);
  assert.match(await storage(target, "migrate", "secrets"), /secrets: 1 objects, 0 written anew/);
  await change(localKeys("aescbc", "two"));
  assert.deepEqual(await storyOf(client), whole);
  stop.abort();
  await writing;
  assert.equal(failures, 0);
  assert.ok(writes > 10);
  await target.process.stop();
  await target.process.restart();
  const again = await clientOf(target);
  t.after(() => again.close());
  assert.deepEqual(await storyOf(again), whole);

  await change(identity, localKeys("aescbc", "two"));
  await storage(target, "migrate", ...all);
  await target.process.stop();
  const plain = await start();
  assert.deepEqual(await storyOf(plain.client), whole);
  await plain.target.process.stop();
  assert.ok((await timesIn(join(folder, "data", "store"), marker)) > 0);
});

test("a file that is broken leaves the one before in force, and is counted", async (t) => {
  const { file, start } = await bed(t);
  await writeEncryption(file, all, [localKeys("secretbox", "one")]);
  const { target, client } = await start(...encryptingWith(file));
  await writeFile(file, "resources: [");
  const name = "apiserver_encryption_config_controller_automatic_reloads_total";
  await until("the failure is counted", async () =>
    (await sum(target, name, 'status="failure"')) > 1 ? true : undefined,
  );
  await client.create(secrets, { metadata: { name: "a" }, stringData: { story: marker } });
  assert.equal((await client.get(secrets, "a")).metadata.name, "a");
  const ready = await client.raw({ method: "GET", path: "/readyz" });
  assert.equal(ready.body.toString(), "ok");
});

test("a plugin's key is exchanged; a plugin that is away stops what needs it alone, and all is there once it is back", async (t) => {
  const { folder, file, start } = await bed(t);
  const [keyFile, socket] = [join(folder, "keys.json"), join(folder, "k.sock")];
  await addPluginKey(keyFile, "one");
  const plugin = await startPluginProcess(keyFile, socket);
  t.after(() => plugin.stop());
  await writeEncryption(file, all, [pluginAt(socket)]);
  const { target, client } = await start(...encryptingWith(file));
  await tellStories(client);
  assert.equal((await client.raw({ method: "GET", path: "/healthz/kms-providers" })).body.toString(), "ok");
  const { body } = await client.raw({ method: "GET", path: "/metrics" });
  checkMetrics(readPage(body.toString()));

  await addPluginKey(keyFile, "two");
  await until("objects are written with the other key", async () => {
    const told = await storage(target, "migrate", "secrets");
    return told.includes("1 written anew") ? true : undefined;
  });

  await plugin.kill();
  await client.create(configMaps, { metadata: { name: "without-plugin" } });
  assert.deepEqual(await storyOf(client), whole);
  await until("health says so", async () => {
    const told = await said(client.raw({ method: "GET", path: "/healthz/kms-providers" }));
    return told.includes("kms-provider-0: rpc error: code = ") ? true : undefined;
  });
  assert.equal((await client.raw({ method: "GET", path: "/livez" })).body.toString(), "ok");
  await client.close();

  await target.process.stop();
  const [port] = await freePorts(1);
  // It says that it serves once it is ready, which needs the plugin.
  const starting = start(...encryptingWith(file), `--secure-port=${port}`);
  const config = await readClientConfig(target.clientConfig);
  const early = createClient({ ...config, server: `https://127.0.0.1:${port}` });
  t.after(() => early.close());
  await until("it serves what is not encrypted", async () => {
    const accounts = { group: "", version: "v1", resource: "serviceaccounts", namespace: "default" };
    const told = await said(early.create(accounts, { metadata: { name: "c" } }));
    return told === "nothing" ? true : undefined;
  });
  assert.match(
    await said(early.get(secrets, "a")),
    /^500 InternalError: Internal error occurred: failed to decrypt DEK, error: rpc error: code = /,
  );
  assert.match(await said(early.create(secrets, { metadata: { name: "c" } })), /got unexpected nil transformer/);
  await plugin.restart();
  const again = await starting;
  await until("what is stored can be read", async () => {
    const told = await said(again.client.get(secrets, "a"));
    return told === "nothing" ? true : undefined;
  });
  assert.deepEqual(await storyOf(again.client), whole);
  await until("writes are taken", async () => {
    const told = await said(again.client.create(secrets, { metadata: { name: "c" } }));
    return told === "nothing" ? true : undefined;
  });
});

interface ReferenceMetric {
  readonly type: string;
  readonly stability?: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

/** Those of encryption are what the reference has; what is deprecated there is hidden here, as by its own rules. */
function checkMetrics(page: ReadonlyMap<string, PageMetric>): void {
  const reference: Readonly<Record<string, ReferenceMetric>> = JSON.parse(
    readFileSync(new URL("../data/reference-metrics.json", import.meta.url), "utf8"),
  );
  const own = /^apiserver_(?:envelope_encryption|encryption_config|storage_(?:transformation|data_key|envelope))_/;
  const names = Object.keys(reference).filter((name) => own.test(name) && !/_reload_(?:success|failures)_/.test(name));
  assert.ok(names.length > 10);
  for (const name of names) {
    const [expected, shown] = [reference[name], page.get(name)];
    assert.ok(expected && shown, name);
    assert.deepEqual([shown.type, shown.stability], [expected.type, expected.stability], name);
    if (shown.labels !== undefined) assert.deepEqual(shown.labels, [...expected.labels].sort(), name);
    if (shown.buckets.length === 0) continue;
    const rounded = (bounds: readonly number[] = []) => bounds.map((bound) => Number(bound.toPrecision(6)));
    assert.deepEqual(rounded(shown.buckets), rounded(expected.buckets), name);
  }
}

/** The sum of a metric's series that have a text among their labels. */
async function sum(target: StandaloneTarget, name: string, labels = ""): Promise<number> {
  const client = await clientOf(target);
  try {
    const { body } = await client.raw({ method: "GET", path: "/metrics" });
    const lines = body.toString().split("\n");
    return lines
      .filter((line) => line.startsWith(`${name}{`) && line.includes(labels))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" "))), 0);
  } finally {
    await client.close();
  }
}

test("a StorageVersionMigration has a resource stored anew, and says how it went", async (t) => {
  const { file, start } = await bed(t);
  await writeEncryption(file, all, [localKeys("aesgcm", "one")]);
  const { target, client } = await start(
    ...encryptingWith(file),
    ...["--feature-gates=StorageVersionMigrator=true", "--runtime-config=storagemigration.k8s.io/v1alpha1=true"],
  );
  await tellStories(client);
  await writeEncryption(file, all, [localKeys("aesgcm", "two", "one")]);
  const name = "apiserver_encryption_config_controller_automatic_reloads_total";
  await until("the file is read again", async () => ((await sum(target, name)) > 0 ? true : undefined));
  const before = await client.get(secrets, "a");
  const migrations = { group: "storagemigration.k8s.io", version: "v1alpha1", resource: "storageversionmigrations" };
  const outcomeOf = async (resource: object): Promise<unknown> => {
    const { metadata } = await client.create(migrations, {
      metadata: { generateName: "m-" },
      spec: { resource },
    });
    return until("there is an outcome", async () => {
      const { status } = await client.get(migrations, metadata.name ?? "");
      const conditions: unknown = status instanceof Object ? Reflect.get(status, "conditions") : undefined;
      const over = Array.isArray(conditions) ? conditions : [];
      return over.find(({ type, status }) => type !== "Running" && status === "True")?.type;
    });
  };
  assert.equal(await outcomeOf({ version: "v1", resource: "secrets" }), "Succeeded");
  const after = await client.get(secrets, "a");
  assert.notEqual(after.metadata.resourceVersion, before.metadata.resourceVersion);
  assert.match(await storage(target, "migrate", "secrets"), /secrets: 1 objects, 0 written anew/);
  assert.equal(await outcomeOf({ version: "v1", resource: "nothings" }), "Failed");
});
