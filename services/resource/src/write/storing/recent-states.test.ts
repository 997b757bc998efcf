import assert from "node:assert/strict";
import { test } from "node:test";
import { key, noRevision } from "@orch/store/revision.js";
import { openBed } from "../../testing/bed.js";
import { remembering } from "./recent-states.js";

const text = (n: number): Buffer => Buffer.from(JSON.stringify({ n }));

async function open(t: Parameters<typeof openBed>[0], maxBytes?: number) {
  const { store, naming } = await openBed(t, "kubernetes");
  return { outside: store, at: (name: string) => key(`${naming.storePrefix}${name}`), ...remembering(store, maxBytes) };
}

async function created({ at, store, noteTree }: Awaited<ReturnType<typeof open>>, name: string) {
  const value = text(1);
  const swap = await store.swap({ key: at(name), expected: noRevision, value });
  assert.ok(swap.done);
  const tree = { n: 1 };
  noteTree({ key: at(name), revision: swap.revision, bytes: value.length, tree });
  return { revision: swap.revision, tree };
}

test("a state comes with its tree", async (t) => {
  const opened = await open(t);
  const { tree } = await created(opened, "a");
  assert.equal(opened.recent(opened.at("a"))?.tree, tree);
});

test("a tree is of its revision alone", async (t) => {
  const opened = await open(t);
  const { at, outside, store, recent } = opened;
  const { revision } = await created(opened, "a");
  const other = await outside.swap({ key: at("a"), expected: revision, value: text(2) });
  assert.ok(other.done);
  const lost = await store.swap({ key: at("a"), expected: revision, value: text(3) });
  assert.equal(lost.done, false);
  const state = recent(at("a"));
  assert.deepEqual([state?.value, state?.revision, state?.tree], [text(2), other.revision, undefined]);
});

test("what is deleted or forgotten has no tree", async (t) => {
  const opened = await open(t);
  const { at, store, recent, forget } = opened;
  const { revision } = await created(opened, "a");
  await created(opened, "b");
  assert.ok((await store.swap({ key: at("a"), expected: revision, value: undefined })).done);
  assert.equal(recent(at("a")), undefined);
  forget();
  await store.get(at("b"));
  const state = recent(at("b"));
  assert.deepEqual([state?.value, state?.tree], [text(1), undefined]);
});

test("trees take a part of what may be remembered, and those used last stay", async (t) => {
  const opened = await open(t, 100 * text(1).length);
  const names = Array.from({ length: 30 }, (_, i) => `n${i}`);
  for (const name of names) await created(opened, name);
  for (const name of names) await opened.store.get(opened.at(name));
  const known = names.filter((name) => opened.recent(opened.at(name))?.tree !== undefined);
  assert.ok(known.length > 0 && known.length <= 25, `${known.length} of ${names.length}`);
  assert.equal(known.at(-1), names.at(-1));
});
