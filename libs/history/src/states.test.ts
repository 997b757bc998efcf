import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { openMemoryStore } from "@orch/store/memory/memory-store.js";
import { key, revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import fc from "fast-check";
import { noteKeyOf } from "./note-keys.js";
import { type Author, decodeRecord, encodeRecord } from "./record.js";
import { readStates } from "./states.js";

const author: Author = {
  ...{ time: 1_700_000_000_000, verb: "update", subresource: "", user: "ann" },
  ...{ manager: "kubectl-edit", userAgent: "kubectl/v1.32", auditId: "a-1" },
};
const object = key("/o/configmaps/ns/name");

/** Writes states one after the other, `undefined` deletes; those of `silent` leave no record. */
async function write(store: Store, states: readonly (string | undefined)[], silent: ReadonlySet<number>) {
  let stored: { value: Buffer; revision: number } | undefined;
  const written: { revision: number; value: string | undefined; silent: boolean }[] = [];
  for (const [i, text] of states.entries()) {
    const after = text === undefined ? undefined : Buffer.from(text);
    if (after === undefined && stored === undefined) continue;
    const from = stored?.revision ?? 0;
    const note = {
      space: after === undefined ? ("deleted" as const) : ("states" as const),
      key: noteKeyOf(object, from, `uid-${i}`),
      value: encodeRecord({ ...author, user: `user-${i}` }, { before: stored, after }),
    };
    const swap = await store.swap({
      ...{ key: object, expected: revision(from), value: after },
      ...(silent.has(i) ? {} : { note }),
    });
    assert.ok(swap.done);
    stored = after === undefined ? undefined : { value: after, revision: swap.revision };
    written.push({ revision: swap.revision, value: text, silent: silent.has(i) });
  }
  return written;
}

test("every state that was written is read back, newest first, with who wrote it", async () => {
  const state = fc.oneof({ weight: 5, arbitrary: fc.string({ maxLength: 300 }) }, fc.constant(undefined));
  await fc.assert(
    fc.asyncProperty(fc.array(state, { maxLength: 12 }), async (states) => {
      const store = await openMemoryStore({ prefix: "/o/" });
      const written = await write(store, states, new Set());
      const read = [...(await readStates(store, object))];
      assert.deepEqual(
        read.map(({ revision: at, value }) => ({ revision: at, value: value?.toString() })),
        written.map(({ revision: at, value }) => ({ revision: at, value })).reverse(),
      );
      assert.ok(read.every(({ author: by }) => by?.user.startsWith("user-")));
      await store.close();
    }),
    { numRuns: 60 },
  );
});

test("a change without a record leaves a gap, and nothing is told of it that was not so", async () => {
  const state = fc.oneof({ weight: 6, arbitrary: fc.string({ maxLength: 60 }) }, fc.constant(undefined));
  await fc.assert(
    fc.asyncProperty(fc.array(state, { maxLength: 12 }), fc.array(fc.nat(11)), async (states, gaps) => {
      const store = await openMemoryStore({ prefix: "/o/" });
      const written = await write(store, states, new Set(gaps));
      const truth = new Map(written.map((one) => [one.revision, one]));
      for (const { revision: at, value, author: by, change } of await readStates(store, object)) {
        const was = truth.get(at) ?? assert.fail(`nothing was written at ${at}`);
        if (value !== undefined) assert.equal(value.toString(), was.value);
        assert.equal(by === undefined, was.silent);
        if (change === "deleted") assert.equal(was.value, undefined);
      }
      await store.close();
    }),
    { numRuns: 60 },
  );
});

test("a record tells who, and is bounded whatever the names are", () => {
  const bytes = encodeRecord({ ...author, user: "ü".repeat(10_000) }, { before: undefined, after: Buffer.from("{}") });
  assert.ok(bytes.length < 1200);
  assert.equal(decodeRecord(bytes)?.author.user.length, 257);
  assert.deepEqual(decodeRecord(encodeRecord(author, { before: undefined, after: undefined }))?.author, author);
});

test("what is no record is none", () => {
  const good = encodeRecord(author, { before: { value: Buffer.from("a"), revision: 3 }, after: Buffer.from("ab") });
  assert.deepEqual(decodeRecord(good)?.from, 3);
  fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.equal(decodeRecord(Buffer.from(bytes)), undefined)));
  for (const cutAt of [0, 1, 5, 20]) assert.equal(decodeRecord(good.subarray(0, cutAt)), undefined);
});

test("a state that fits in no request beside its change is told to be lost", () => {
  const random = randomBytes(1_500_000);
  const record = decodeRecord(encodeRecord(author, { before: { value: random, revision: 1 }, after: undefined }));
  assert.equal(record?.before.type, "lost");
});
