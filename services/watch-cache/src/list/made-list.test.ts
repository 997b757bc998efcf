import assert from "node:assert/strict";
import { test } from "node:test";
import { type Kind, loadCatalog } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { printStored } from "@orch/codec/stored-object.js";
import { createNaming } from "@orch/naming/naming.js";
import { createPacer } from "@orch/rpc/pacer.js";
import { createLabelPool } from "../label-pool.js";
import { type CachedObject, cachedObject } from "../object.js";
import { createRenditions } from "../renditions/renditions.js";
import { noWebhook } from "../testing/no-webhook.js";
import type { ListBody, SizedChunks } from "./list-body.js";
import { joined, stepsOf } from "./list-steps.js";

const naming = createNaming("orch");
const catalog = loadCatalog(naming);
const taken = { labels: createLabelPool(), heads: undefined, fields: undefined };
const kib = 1024;

function mapsKind(): Kind {
  const kind = catalog.kind("v1", "ConfigMap");
  assert.ok(kind);
  return kind;
}
const kind = mapsKind();

function maps(count: number, bytes: number): readonly CachedObject[] {
  return Array.from({ length: count }, (_, i) => {
    const metadata = { name: `map-${i}`, namespace: "a", creationTimestamp: "2026-01-02T03:00:00Z" };
    const tree: AnyObject = { metadata, data: { text: "x".repeat(bytes) } };
    const value = printStored(kind, tree);
    return cachedObject(`a/map-${i}`, { value, revision: 7 + i }, taken);
  });
}

const bodyOf = (items: readonly CachedObject[]): ListBody => ({
  resourceVersion: 9,
  items,
  continueToken: "",
  remainingItemCount: undefined,
});

function listOf(form: string, items: readonly CachedObject[], hotBytes = 1e8): SizedChunks {
  const options = { catalog, metaGroup: naming.metaGroup, wallClock: () => 0, hotBytes, convert: noWebhook };
  return createRenditions(options).of(kind, form).list(bodyOf(items));
}

const forms = ["protobuf", "cbor", "json;PartialObjectMetadata;v1", "json;Table;v1;Metadata", "json;Table;v1;Object"];

/** The body in one turn: of the parts of lists that are small enough for that. */
function piecewise(form: string, items: readonly CachedObject[]): number {
  const alone = items.map((item) => Buffer.concat([...listOf(form, [item]).chunks]).length);
  return alone.reduce((sum, length) => sum + length, 0);
}

for (const form of forms) {
  test(`a large list as ${form} is made in steps, each of a few objects, and says no length before`, () => {
    const list = listOf(form, maps(60, 32 * kib));
    assert.equal(list.bytes, undefined);
    let steps = 0;
    for (const _chunk of list.chunks) {
      assert.ok((list.takeWork?.() ?? 0) <= 5 * 33 * kib);
      steps++;
    }
    assert.ok(steps >= 10, `${steps}`);
  });

  test(`a list as ${form} has the same items however many steps it took`, async () => {
    const items = maps(60, 32 * kib);
    const pacer = createPacer(setImmediate, 128 * kib);
    const large = await joined(listOf(form, items), pacer);
    // Too much for what is kept: everything that had to be measured first is made again.
    assert.deepEqual(await joined(listOf(form, items, 1000), pacer), large);
    const [head, ...rest] = items;
    assert.ok(head !== undefined && rest.length > 0);
    assert.ok(large.length > 60 && large.length < piecewise(form, items));
    for (const { key } of items) assert.ok(large.includes(key.slice(2)), key);
  });
}

test("a small list is made at once and says its length", () => {
  for (const form of forms) {
    const list = listOf(form, maps(3, kib));
    const chunks = [...list.chunks];
    assert.deepEqual([chunks.length, list.bytes, list.takeWork], [1, chunks[0]?.length, undefined]);
  }
});

test("lists that are made take turns: none makes more than its share in one", () => {
  const turns: (() => void)[] = [];
  const pacer = createPacer((run) => void turns.push(run), 128 * kib);
  const got: string[] = [];
  for (const name of ["a", "b"]) {
    stepsOf(listOf("protobuf", maps(30, 32 * kib)), pacer, {
      wants: () => true,
      take: () => got.push(name) > 0,
      end: () => void got.push(`${name} ends`),
    }).goOn();
  }
  assert.equal(got.length, 0, "the sizes alone take longer than a turn");
  let most = 0;
  for (let before = 0; turns.length > 0; before = got.length) {
    turns.shift()?.();
    most = Math.max(most, got.length - before);
  }
  assert.deepEqual(
    got.filter((what) => what.endsWith("ends")),
    ["a ends", "b ends"],
  );
  const firstEnd = got.indexOf("a ends");
  assert.ok(got.slice(0, firstEnd).includes("b"), "the second began before the first was over");
  assert.ok(most <= 10, `${most}`);
});

test("a reader that has had enough makes its list wait, and nothing of it is made", () => {
  const turns: (() => void)[] = [];
  const pacer = createPacer((run) => void turns.push(run), 128 * kib);
  const list = listOf("json;Table;v1;Object", maps(60, 32 * kib));
  let got = 0;
  const steps = stepsOf(list, pacer, { wants: () => true, take: () => ++got < 0, end: () => assert.fail("not over") });
  steps.goOn();
  while (turns.length > 0) turns.shift()?.();
  assert.equal(got, 1);
  steps.goOn();
  while (turns.length > 0) turns.shift()?.();
  assert.equal(got, 2);
});

test("an item that can not be made ends its list with an error, and nothing else", async () => {
  const [first, ...rest] = maps(60, 32 * kib);
  assert.ok(first);
  const broken: CachedObject = { ...first, key: "a/broken", bytes: Buffer.from("{") };
  const pacer = createPacer(setImmediate, 128 * kib);
  await assert.rejects(joined(listOf("protobuf", [...rest, broken]), pacer), { reason: "InternalError" });
});
