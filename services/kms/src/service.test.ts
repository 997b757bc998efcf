import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { KeySet } from "@orch/encryption/key-set.js";
import { createKeyRing } from "@orch/encryption/ring/key-ring.js";
import { noMetrics } from "@orch/encryption/ring/metrics.js";
import { systemClock } from "@orch/runtime/clock.js";
import { answersWith } from "./kms-plugin/answers.js";
import { parseKeyFile, withNewKey } from "./kms-plugin/key-file.js";
import type { PluginAnswers } from "./plugin/serve.js";
import type { Kms } from "./service.js";
import { configurationOf, kmsProvider, kmsWith, socketFolder, startPlugin, xorAnswers } from "./testing/kms-bed.js";

interface Row {
  readonly plugin: string;
  /** What health says; "" for nothing. */
  readonly unwell: string;
  readonly write: string;
  readonly calls: number;
}

const rows: readonly Row[] = JSON.parse(readFileSync(new URL("../testdata/plugins.json", import.meta.url), "utf8"));

type V2 = NonNullable<PluginAnswers["v2"]>;

/** How each plugin of the rows differs from a good one. */
const plugins: Readonly<Record<string, (good: V2) => Partial<V2>>> = {
  good: () => ({}),
  "version v2beta1": (good) => ({ status: async () => ({ ...(await good.status()), version: "v2beta1" }) }),
  "version v1": (good) => ({ status: async () => ({ ...(await good.status()), version: "v1" }) }),
  "version v3": (good) => ({ status: async () => ({ ...(await good.status()), version: "v3" }) }),
  "healthz not ok": (good) => ({ status: async () => ({ ...(await good.status()), healthz: "not ok" }) }),
  "key_id empty": (good) => ({ status: async () => ({ ...(await good.status()), keyId: "" }) }),
  "key_id of 1025 bytes": (good) => ({ status: async () => ({ ...(await good.status()), keyId: "k".repeat(1025) }) }),
  "key_id of 1024 bytes": (good) => ({
    status: async () => ({ ...(await good.status()), keyId: "k".repeat(1024) }),
    encrypt: async (bytes, uid) => ({ ...(await good.encrypt(bytes, uid)), keyId: "k".repeat(1024) }),
  }),
  "Encrypt answers: empty ciphertext": (good) => encrypting(good, { ciphertext: Buffer.alloc(0) }),
  "Encrypt answers: ciphertext of 1025 bytes": (good) => encrypting(good, { ciphertext: Buffer.alloc(1025, 1) }),
  "Encrypt answers: empty key_id": (good) => encrypting(good, { keyId: "" }),
  "Encrypt answers: key_id of 1025 bytes": (good) => encrypting(good, { keyId: "k".repeat(1025) }),
  "Encrypt answers: annotation key without a domain": (good) =>
    encrypting(good, { annotations: { noDomain: Buffer.from("1") } }),
  "Encrypt answers: annotations of 33 KiB": (good) =>
    encrypting(good, { annotations: { "a.example.com": Buffer.alloc(33 * 1024) } }),
  "Encrypt answers: error": () => ({
    encrypt: () => {
      throw new Error("boom");
    },
  }),
};

const encrypting = (good: V2, other: object): Partial<V2> => ({
  encrypt: async (bytes, uid) => ({ ...(await good.encrypt(bytes, uid)), ...other }),
});

const secrets = { group: "", resource: "secrets" };

/** What a write says: "ok", or why it fails. */
async function written(kms: Kms): Promise<string> {
  const ring = createKeyRing({ plugins: kms.plugins, clock: systemClock, metrics: noMetrics });
  kms.follow((keys) => ring.use(keys));
  try {
    await ring.chainOf(secrets).seal(Buffer.from("{}"), "/k");
    return "ok";
  } catch (error) {
    return error instanceof Error ? error.message.replace("Internal error occurred: ", "") : "";
  }
}

for (const { plugin, unwell, write, calls } of rows) {
  test(`a plugin, ${plugin}: ${unwell === "" ? "well" : "unwell"}, writes ${write}`, async (t) => {
    const good = xorAnswers();
    const other = plugins[plugin];
    assert.ok(other);
    const socket = `${await socketFolder(t)}/k.sock`;
    await startPlugin(t, socket, { v2: { ...good.v2, ...other(good.v2) } });
    const { kms } = kmsWith(t, [{ resources: ["secrets"], providers: [kmsProvider(socket)] }]);
    await kms.start();
    const [check] = kms.checks;
    const said = (await check?.run())?.replace(/uid="[0-9a-f-]{36}"/, 'uid="<uid>"') ?? "";
    assert.equal(said, unwell);
    assert.equal(await written(kms), write);
    assert.equal(good.calls.length, calls - (plugin === "Encrypt answers: error" ? 1 : 0));
  });
}

const health = async (kms: Kms): Promise<readonly (readonly [string, string | undefined])[]> =>
  Promise.all(kms.checks.map(async ({ name, run }) => [name, await run()] as const));

test("plugins of v2 have one check together; with one of v1 each has its own", async (t) => {
  const folder = await socketFolder(t);
  const socket = `${folder}/k.sock`;
  await startPlugin(t, socket, xorAnswers());
  const [k, k2, old] = [
    kmsProvider(socket),
    kmsProvider(socket, { name: "k2" }),
    kmsProvider(socket, { name: "z", apiVersion: "v1" }),
  ];
  const names = async (...providers: readonly object[]) => {
    const { kms } = kmsWith(t, [{ resources: ["secrets"], providers }]);
    await kms.start();
    for (const [, reason] of await health(kms)) assert.equal(reason, undefined);
    return kms.checks.map(({ name }) => name);
  };
  assert.deepEqual(await names(k), ["kms-providers"]);
  assert.deepEqual(await names(k, k2), ["kms-providers"]);
  assert.deepEqual(await names(k, old), ["kms-provider-0", "kms-provider-1"]);
  assert.deepEqual(await names({ identity: {} }), []);
});

test("a plugin that is not there is told with its place, and is used once it comes", async (t) => {
  const socket = `${await socketFolder(t)}/k.sock`;
  const { kms } = kmsWith(t, [{ resources: ["secrets"], providers: [kmsProvider(socket)] }], 100);
  await kms.start();
  assert.match(
    (await health(kms))[0]?.[1] ?? "",
    /^kms-provider-0: rpc error: code = (Unavailable|DeadlineExceeded) desc = /,
  );
  assert.equal(await written(kms), "got unexpected nil transformer");
  await startPlugin(t, socket, xorAnswers());
  await until(async () => (await written(kms)) === "ok");
});

test("a plugin that hangs ends by its timeout, and its neighbour is not concerned", async (t) => {
  const folder = await socketFolder(t);
  const never = (): Promise<never> => new Promise(() => {});
  await startPlugin(t, `${folder}/hangs`, { v2: { status: never, encrypt: never, decrypt: never } });
  await startPlugin(t, `${folder}/good`, xorAnswers());
  const { kms } = kmsWith(t, [
    { resources: ["configmaps"], providers: [kmsProvider(`${folder}/hangs`, { name: "hangs", timeout: "100ms" })] },
    { resources: ["secrets"], providers: [kmsProvider(`${folder}/good`)] },
  ]);
  await kms.start();
  assert.equal(await written(kms), "ok");
  assert.match((await health(kms))[0]?.[1] ?? "", /kms-provider-0: rpc error: code = DeadlineExceeded/);
});

test("a plugin whose status and whose work name different keys writes nothing", async (t) => {
  const socket = `${await socketFolder(t)}/k.sock`;
  const good = xorAnswers();
  await startPlugin(t, socket, {
    v2: { ...good.v2, status: () => ({ version: "v2", healthz: "ok", keyId: "another" }) },
  });
  const { kms } = kmsWith(t, [{ resources: ["secrets"], providers: [kmsProvider(socket)] }]);
  await kms.start();
  assert.match((await health(kms))[0]?.[1] ?? "", /failed to rotate DEK .*errGen=<nil>/);
  assert.equal(await written(kms), "got unexpected nil transformer");
});

test("another key of the plugin is seen by its status, and tells who follows once", async (t) => {
  const socket = `${await socketFolder(t)}/k.sock`;
  const plugin = xorAnswers();
  await startPlugin(t, socket, plugin);
  const { kms } = kmsWith(t, [{ resources: ["secrets"], providers: [kmsProvider(socket)] }], 60);
  const told: KeySet[] = [];
  kms.follow((keys) => told.push(keys));
  await kms.start();
  const keyIds = () =>
    told.map(({ rules }) => rules[0]?.providers.map((each) => each.type === "kms-v2" && each.write?.keyId).join());
  await until(async () => plugin.calls.filter((call) => call === "Status").length > 3);
  assert.deepEqual(keyIds(), ["key-1"]);
  plugin.keyId = "key-2";
  await until(async () => told.length > 1);
  assert.deepEqual(keyIds(), ["key-1", "key-2"]);
  assert.equal(plugin.calls.filter((call) => call === "Encrypt").length, 2);
});

test("another configuration is in force once its plugins are well; the ones before may still be asked", async (t) => {
  const folder = await socketFolder(t);
  await startPlugin(t, `${folder}/a`, xorAnswers());
  await startPlugin(t, `${folder}/b`, xorAnswers());
  const { kms } = kmsWith(t, [{ resources: ["secrets"], providers: [kmsProvider(`${folder}/a`)] }]);
  await kms.start();
  let told = 0;
  kms.follow(() => told++);
  const next = [{ resources: ["secrets"], providers: [kmsProvider(`${folder}/b`, { name: "b" })] }];
  await kms.replace(configurationOf(next));
  assert.equal(told, 2);
  const wrapped = { version: "v2", wrapped: Buffer.alloc(32, 1), keyId: "key-1", annotations: {} } as const;
  assert.equal((await kms.plugins.unwrap({ ...wrapped, provider: "k" })).length, 32);
  assert.equal((await kms.plugins.unwrap({ ...wrapped, provider: "b" })).length, 32);
  await assert.rejects(kms.plugins.unwrap({ ...wrapped, provider: "c" }), /there is no KMS provider c/);
});

test("v1 asks for the version first, wraps a key for each value, and reads what is at hand without the plugin", async (t) => {
  const socket = `${await socketFolder(t)}/k.sock`;
  const plugin = xorAnswers();
  await startPlugin(t, socket, plugin);
  const { kms } = kmsWith(t, [{ resources: ["secrets"], providers: [kmsProvider(socket, { apiVersion: "v1" })] }]);
  await kms.start();
  assert.deepEqual(plugin.calls, ["Version", "Encrypt", "Decrypt"]);
  const ring = createKeyRing({ plugins: kms.plugins, clock: systemClock, metrics: noMetrics });
  kms.follow((keys) => ring.use(keys));
  const sealed = await Promise.all([1, 2].map(() => ring.chainOf(secrets).seal(Buffer.from("{}"), "/k")));
  assert.deepEqual(plugin.calls.slice(3), ["Encrypt", "Encrypt"]);
  for (const each of sealed) assert.equal((await ring.chainOf(secrets).open(each, "/k")).type, "value");
  assert.equal(plugin.calls.length, 5);
});

test("metrics tell of calls and keys without naming a key", async (t) => {
  const socket = `${await socketFolder(t)}/k.sock`;
  await startPlugin(t, socket, xorAnswers());
  const { kms, metrics } = kmsWith(t, [{ resources: ["secrets"], providers: [kmsProvider(socket)] }]);
  await kms.start();
  const text = await metrics.text();
  for (const method of ["Status", "Encrypt"]) {
    const labels = `grpc_status_code="OK",method_name="/v2.KeyManagementService/${method}",provider_name="k"`;
    assert.ok(text.includes(`apiserver_envelope_encryption_kms_operations_latency_seconds_count{${labels}} 1`), text);
  }
  assert.match(
    text,
    /key_id_hash_status_last_timestamp_seconds\{apiserver_id_hash="sha256:[0-9a-f]{64}",key_id_hash="sha256:be2974546978e3739e6d6da85c4be9f334ce32df2b9fd4b6ff1b55c0d57e9d44"/,
  );
  assert.ok(!text.includes("key-1"));
});

test("the plugin of a key file unwraps what any of its keys wrapped, in both protocols", async () => {
  const keysOf = (text: string) => {
    const file = parseKeyFile(text);
    assert.ok(file.ok);
    return file.keys;
  };
  let keys = keysOf(withNewKey([], "one"));
  const plugin = answersWith(() => keys);
  const seed = Buffer.alloc(32, 3);
  const [two, one] = [await plugin.v2.encrypt(seed, ""), await plugin.v1.encrypt(seed)];
  keys = keysOf(withNewKey(keys, "two"));
  assert.equal((await plugin.v2.status()).keyId, "two");
  assert.deepEqual(await plugin.v2.decrypt({ ...two, uid: "" }), seed);
  assert.deepEqual(await plugin.v1.decrypt(one), seed);
  assert.throws(() => plugin.v2.decrypt({ ...two, uid: "", keyId: "two" }), /not wrapped by that key/);
  assert.throws(() => plugin.v2.decrypt({ ...two, uid: "", keyId: "three" }), /there is no key "three"/);
  for (const text of ["", "keys: 1", "keys: []", "keys: [{id: a}]", "keys: [{id: a, secret: AAAA}]", "keys: [1]"]) {
    assert.equal(parseKeyFile(text).ok, false, text);
  }
});

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (await what()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail("it did not come");
}
