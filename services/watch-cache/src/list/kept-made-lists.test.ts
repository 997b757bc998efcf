import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { printStored } from "@orch/codec/stored-object.js";
import { createNaming } from "@orch/naming/naming.js";
import { createReusedMemory } from "@orch/status/chunk-memory.js";
import { createLabelPool } from "../label-pool.js";
import { type CachedObject, cachedObject } from "../object.js";
import { createRenditions } from "../renditions/renditions.js";
import { noWebhook } from "../testing/no-webhook.js";
import type { SizedChunks } from "./list-body.js";

const naming = createNaming("orch");
const catalog = loadCatalog(naming);
const taken = { labels: createLabelPool(), heads: undefined, fields: undefined };
const kib = 1024;
const created = Date.parse("2026-01-02T03:00:00Z");
const kind = catalog.kind("v1", "ConfigMap") ?? assert.fail("no ConfigMaps");

function map(name: string, revision: number, bytes: number): CachedObject {
  const metadata = { name, namespace: "a", creationTimestamp: "2026-01-02T03:00:00Z" };
  const tree: AnyObject = { metadata, data: { text: "x".repeat(bytes) } };
  const value = printStored(kind, tree);
  return cachedObject(`a/${name}`, { value, revision }, taken);
}

const maps = (count: number, bytes: number): readonly CachedObject[] =>
  Array.from({ length: count }, (_, i) => map(`map-${String(i).padStart(3, "0")}`, 7 + i, bytes));

/** Lists of one cache. */
function cacheAt(now: { ms: number }) {
  const options = { catalog, metaGroup: naming.metaGroup, wallClock: () => now.ms, hotBytes: 1e8, convert: noWebhook };
  const renditions = createRenditions(options);
  const memory = createReusedMemory({ pieceBytes: 128 * kib, maxBytes: 1024 * kib });
  return (form: string, items: readonly CachedObject[], resourceVersion = 500): SizedChunks => {
    const list = { resourceVersion, items, continueToken: "", remainingItemCount: undefined };
    return renditions.of(kind, form).list(list, memory);
  };
}

const bodyOf = ({ chunks }: SizedChunks): Buffer => Buffer.concat([...chunks]);
const forms = ["protobuf", "cbor", "json;PartialObjectMetadata;v1", "json;Table;v1;Metadata", "json;Table;v1;Object"];
/** The ages of its rows read the same for an hour. */
const later = { ms: created + 100 * 24 * 3600_000 };

for (const form of forms) {
  for (const [what, items] of [
    ["small", maps(100, 10)],
    ["large", maps(100, 8 * kib)],
  ] as const) {
    test(`a ${what} list as ${form} goes out as it was joined once it was asked for twice`, () => {
      const ask = cacheAt(later);
      const first = bodyOf(ask(form, items));
      assert.deepEqual(bodyOf(ask(form, items)), first);
      const third = ask(form, [...items]);
      assert.equal(third.bytes, first.length);
      assert.equal(third.takeWork, undefined, "nothing is made");
      assert.deepEqual(bodyOf(third), first);
      const newer = bodyOf(ask(form, items, 123_456));
      assert.deepEqual(newer, bodyOf(cacheAt(later)(form, items, 123_456)), "its head tells the newest revision");
    });

    test(`a ${what} list as ${form} of which one object changed is made anew`, () => {
      const ask = cacheAt(later);
      for (let i = 0; i < 3; i++) bodyOf(ask(form, items));
      const changed = items.map((item, i) => (i === 50 ? map("map-050", 499, 20) : item));
      for (let i = 0; i < 3; i++)
        assert.deepEqual(bodyOf(ask(form, changed)), bodyOf(cacheAt(later)(form, changed)), `question ${i}`);
    });
  }
}

test("a table that was joined is shown for as long as its ages read so, and not before", () => {
  const now = { ms: created + 5 * 24 * 3600_000 };
  const ask = cacheAt(now);
  const items = maps(100, 10);
  const form = "json;Table;v1;None";
  const isJoined = (list: SizedChunks): boolean => [...list.chunks].length === 2;
  assert.deepEqual(
    [1, 2, 3].map(() => isJoined(ask(form, items))),
    [false, true, true],
  );
  now.ms += 3600_000;
  assert.match(bodyOf(ask(form, items)).toString(), /"5d1h"/);
  now.ms -= 2 * 3600_000;
  assert.match(bodyOf(ask(form, items)).toString(), /"4d23h"/);
});

test("a table whose ages change each second tells them, joined once in each", () => {
  const now = { ms: created + 60_000 };
  const ask = cacheAt(now);
  const items = maps(100, 10);
  for (let second = 60; second < 70; second++, now.ms += 1000) {
    for (let i = 0; i < 3; i++)
      assert.match(bodyOf(ask("json;Table;v1;None", items)).toString(), new RegExp(`"${second}s"`));
  }
});

test("a list that is given back before its end is not kept, and the next one is whole", () => {
  const ask = cacheAt(later);
  const items = maps(100, 8 * kib);
  const whole = bodyOf(ask("protobuf", items));
  for (const { done } of [ask("protobuf", items).chunks.next()]) assert.equal(done, false);
  for (let i = 0; i < 3; i++) assert.deepEqual(bodyOf(ask("protobuf", items)), whole);
});

test("chunks that are kept are never given back to be written to", () => {
  const ask = cacheAt(later);
  const items = maps(100, 8 * kib);
  const whole = bodyOf(ask("cbor", items));
  for (let i = 0; i < 3; i++) {
    const { chunks, memory } = ask("cbor", items);
    for (const chunk of chunks) memory.giveBack(chunk);
    for (let j = 0; j < 20; j++) memory.take(128 * kib).fill(0xff);
  }
  assert.deepEqual(bodyOf(ask("cbor", items)), whole);
});
