import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Opened } from "@orch/store/transformed.js";
import { parseGroupResource } from "../configuration/group-resource.js";
import { keysOf } from "../testing/key-sets.js";
import { configurationOf, ringWith, testClock } from "../testing/ring.js";
import { xorKeys, xorPlugin, xorWriteKey } from "../testing/xor-plugin.js";

const rowsOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../testdata/${name}.json`, import.meta.url), "utf8"));

interface Golden {
  readonly rules: readonly object[];
  readonly values: readonly { readonly key: string; readonly plain: string; readonly stored: string }[];
}

const secrets = { group: "", resource: "secrets" };
const golden: readonly Golden[] = rowsOf("golden");

function ringOf(rules: unknown, keyId = "key-1") {
  const plugin = xorPlugin();
  const ring = ringWith(plugin);
  ring.use(keysOf(configurationOf(rules), keyId));
  return { plugin, chain: ring.chainOf(secrets), ring };
}

for (const { rules, values } of golden) {
  for (const { key, plain, stored } of values) {
    test(`golden: ${JSON.stringify(rules).slice(0, 120)} opens ${key} and seals it alike`, async () => {
      const { chain } = ringOf(rules);
      const sample = Buffer.from(stored, "base64");
      const opened = await chain.open(sample, key);
      assert.deepEqual(opened, { type: "value", value: Buffer.from(plain), stale: false });
      const sealed = await chain.seal(Buffer.from(plain), key);
      const prefix = sample.lastIndexOf(":", 40);
      assert.equal(sealed.length, sample.length);
      assert.deepEqual(sealed.subarray(0, prefix), sample.subarray(0, prefix));
      assert.ok(!sealed.equals(sample), "no two are the same");
      assert.deepEqual(await chain.open(sealed, key), opened);
    });
  }
}

interface Reading {
  readonly note: string;
  readonly providers: readonly object[];
  readonly key: string;
  readonly stored: string;
  readonly plain: string | null;
  readonly stale: boolean;
  readonly why: string | null;
}

const readings: readonly Reading[] = rowsOf("reading");

for (const { note, providers, key, stored, plain, stale, why } of readings) {
  test(`reading: ${note}, with ${JSON.stringify(providers).slice(0, 90)}`, async () => {
    const rotated = note.includes("moved to key-2");
    const { chain } = ringOf([{ resources: ["secrets"], providers }], rotated ? "key-2" : "key-1");
    const expected: Opened =
      plain === null
        ? { type: "damaged", why: why ?? "", sealed: true }
        : { type: "value", value: Buffer.from(plain), stale };
    assert.deepEqual(await chain.open(Buffer.from(stored, "base64"), key), expected);
  });
}

interface Placing {
  readonly file: string;
  readonly begins: Readonly<Record<string, string>>;
}

const placings: readonly Placing[] = rowsOf("placing");

for (const { file, begins } of placings) {
  test(`placing: ${file.slice(70, 200)}`, async () => {
    const ring = ringWith();
    ring.use(keysOf(configurationOf(JSON.parse(file).resources)));
    for (const [name, beginning] of Object.entries(begins)) {
      const plain = Buffer.from("{}");
      const sealed = await ring.chainOf(parseGroupResource(name)).seal(plain, "/registry/x");
      const expected = beginning === "as it is" ? "{}" : beginning;
      assert.equal(sealed.toString("latin1", 0, expected.length), expected, name);
    }
  });
}

const sealedV2 = Buffer.from(golden[4]?.values[0]?.stored ?? "", "base64");
const key = "/registry/secrets/default/a";

const v2 = (write = xorWriteKey()) => ({ rules: [{ resources: ["secrets"], providers: [xorKeys("k", write)] }] });

test("a data key is asked for once, and kept while key sets come and go", async () => {
  const plugin = xorPlugin();
  const ring = ringWith(plugin);
  ring.use(v2());
  const both = [ring.chainOf(secrets).open(sealedV2, key), ring.chainOf(secrets).open(sealedV2, key)];
  await Promise.all(both);
  assert.equal(plugin.asked.length, 1);
  ring.use(v2(xorWriteKey("key-2")));
  plugin.away = true;
  const opened = ring.chainOf(secrets).open(sealedV2, key);
  assert.ok(!(opened instanceof Promise), "it is at hand");
  assert.deepEqual([opened.type, opened.type === "value" && opened.stale], ["value", true]);
});

test("values of the key that is written with need no plugin", () => {
  const plugin = xorPlugin();
  plugin.away = true;
  const ring = ringWith(plugin);
  ring.use(v2());
  const sealed = ring.chainOf(secrets).seal(Buffer.from("x"), key);
  assert.ok(Buffer.isBuffer(sealed));
  const opened = ring.chainOf(secrets).open(sealed, key);
  assert.ok(!(opened instanceof Promise));
  assert.equal(opened.type, "value");
  assert.deepEqual(plugin.asked, []);
});

test("a plugin that is away is not asked by everybody, and it is told when its keys come again", async () => {
  const plugin = xorPlugin();
  const clock = testClock();
  const ring = ringWith(plugin, clock);
  const changes: string[] = [];
  ring.use(v2());
  ring.onChange((change) => changes.push(change));
  plugin.away = true;
  const chain = ring.chainOf(secrets);
  const why = "failed to decrypt DEK, error: rpc error: code = Unavailable desc = away";
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(await chain.open(sealedV2, key), { type: "damaged", why, sealed: true });
  }
  assert.equal(plugin.asked.length, 1);
  clock.pass(3_000);
  await new Promise(setImmediate);
  assert.deepEqual(changes, []);
  plugin.away = false;
  clock.pass(3_000);
  await new Promise(setImmediate);
  assert.deepEqual(changes, ["a key is back"]);
  const opened = await chain.open(sealedV2, key);
  assert.equal(opened.type, "value");
});

test("without a key to write with a write fails, and reads go on", async () => {
  const plugin = xorPlugin();
  const ring = ringWith(plugin);
  const providers = [{ ...xorKeys("k"), write: undefined, why: "got unexpected nil transformer" }];
  ring.use({ rules: [{ resources: ["secrets"], providers }] });
  const chain = ring.chainOf(secrets);
  assert.throws(() => chain.seal(Buffer.from("x"), key), /Internal error occurred: got unexpected nil transformer/);
  assert.equal((await chain.open(sealedV2, key)).type, "value");
});

test("the fields of an envelope may stand in any order", async () => {
  const { chain } = ringOf([
    { resources: ["secrets"], providers: [{ kms: { apiVersion: "v2", name: "k", endpoint: "unix:///k" } }] },
  ]);
  const prefix = "k8s:enc:kms:v2:k:".length;
  const data = sealedV2.subarray(prefix, prefix + 2 + 119);
  const rest = sealedV2.subarray(prefix + 2 + 119);
  const other = Buffer.concat([sealedV2.subarray(0, prefix), rest, data]);
  assert.equal((await chain.open(other, key)).type, "value");
});

test("no stored bytes make it throw", async () => {
  const { chain } = ringOf([
    { resources: ["secrets"], providers: [{ kms: { apiVersion: "v2", name: "k", endpoint: "unix:///k" } }] },
  ]);
  for (let cut = 0; cut < sealedV2.length; cut++) {
    const { type } = await chain.open(sealedV2.subarray(0, cut), key);
    assert.equal(type, "damaged");
    const turned = Buffer.from(sealedV2);
    turned.writeUInt8((turned[cut] ?? 0) ^ 0x41, cut);
    await chain.open(turned, key);
  }
});
