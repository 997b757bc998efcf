import assert from "node:assert/strict";
import { test } from "node:test";
import { freshMemory } from "@orch/status/chunk-memory.js";
import fc from "fast-check";
import type { CachedObject } from "../object.js";
import { createHotLists, type HotLists } from "./hot-lists.js";
import type { Parts } from "./list-body.js";

const mib = 1024 * 1024;

function object(key: string, text: string): CachedObject {
  const bytes = Buffer.from(text);
  return {
    ...{ key, revision: 1, size: bytes.length, bytes, itemAt: 0, versionAt: 0 },
    labels: undefined,
    head: undefined,
    fields: undefined,
  };
}

function partsOf(items: readonly CachedObject[], head = "["): Parts & { copied: number } {
  const parts = {
    head: Buffer.from(head),
    tail: Buffer.from("]"),
    count: items.length,
    size: (i: number) => items[i]?.size ?? 0,
    copied: 0,
    copy(i: number, into: Buffer, at: number) {
      parts.copied++;
      return at + (items[i]?.bytes.copy(into, at) ?? 0);
    },
  };
  return parts;
}

/** Asks for a list and tells its text and how many items were copied for it. */
function ask(hot: HotLists, items: readonly CachedObject[], head?: string): readonly [text: string, copied: number] {
  const parts = partsOf(items, head);
  const { bytes, chunks } = hot.chunks("json", items, parts, freshMemory);
  const body = Buffer.concat([...chunks]);
  assert.equal(body.length, bytes);
  return [body.toString(), parts.copied];
}

const many = (size: number, bytes = 10): CachedObject[] =>
  Array.from({ length: size }, (_, i) => object(`a/${i}`, String(i).padStart(bytes, ".")));

test("items that are asked for again are copied twice and no more, whatever the head says", () => {
  const hot = createHotLists(mib);
  const items = many(100);
  const text = items.map(({ bytes }) => bytes.toString()).join("");
  assert.deepEqual(ask(hot, items), [`[${text}]`, 100]);
  assert.deepEqual(ask(hot, items), [`[${text}]`, 100]);
  assert.deepEqual(ask(hot, [...items], "later["), [`later[${text}]`, 0]);
});

test("what changed is seen: another version, another object, another form", () => {
  const hot = createHotLists(mib);
  const items = many(100);
  for (let i = 0; i < 3; i++) ask(hot, items);
  const changed = items.map((item, i) => (i === 50 ? object(item.key, "changed") : item));
  const [text, copied] = ask(hot, changed);
  assert.ok(text.includes("changed"));
  assert.equal(copied, 100);
  const parts = partsOf(changed);
  assert.equal([...hot.chunks("other", changed, parts, freshMemory).chunks].length, 1);
  assert.equal(parts.copied, 100);
});

test("what is forgotten, few, or too large to be kept is copied each time", () => {
  const hot = createHotLists(mib);
  const items = many(100);
  for (let i = 0; i < 3; i++) ask(hot, items);
  hot.forget();
  assert.equal(ask(hot, items)[1], 100);
  const few = many(10);
  const large = many(100, 10_000);
  for (let i = 0; i < 4; i++) assert.deepEqual([ask(hot, few)[1], ask(hot, large)[1]], [10, 100]);
});

test("memory that is kept is never taken for memory that may be written to again", () => {
  const hot = createHotLists(mib);
  const items = many(128, 1024);
  const memory = { take: freshMemory.take, giveBack: () => assert.fail() };
  for (let i = 0; i < 3; i++) {
    const { chunks, memory: owner } = hot.chunks("json", items, partsOf(items), memory);
    if (i === 2) for (const chunk of chunks) owner.giveBack(chunk);
    else assert.equal([...chunks].length > 0, true);
  }
});

test("whatever changes between the questions, the answer is what it would be without", () => {
  const step = fc.record({ at: fc.nat(99), text: fc.string(), asks: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const hot = createHotLists(mib);
      let items = many(100);
      for (const { at, text, asks } of steps) {
        items = items.map((item, i) => (i === at ? object(item.key, text) : item));
        const expected = `[${items.map(({ bytes }) => bytes.toString()).join("")}]`;
        for (let i = 0; i < asks; i++) assert.equal(ask(hot, items)[0], expected);
      }
    }),
    { numRuns: 50 },
  );
});
