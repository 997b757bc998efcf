import assert from "node:assert/strict";
import { test } from "node:test";
import { noteKeyOf } from "@orch/history/note-keys.js";
import { type Author, encodeRecord } from "@orch/history/record.js";
import { openMemoryStore } from "@orch/store/memory/memory-store.js";
import { key, revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { walkNoted, walkNotes } from "./walk.js";

const author: Author = {
  ...{ time: 1, verb: "update", subresource: "", user: "ann", manager: "", userAgent: "", auditId: "" },
};

async function put(store: Store, name: string, text: string | undefined, noted = true): Promise<void> {
  const at = key(`/o/maps/${name}`);
  const before = await store.get(at);
  const after = text === undefined ? undefined : Buffer.from(text);
  const note = {
    space: after === undefined ? ("deleted" as const) : ("states" as const),
    key: noteKeyOf(at, before?.revision ?? 0, `uid-${name}-${text}`),
    value: encodeRecord(author, { before, after }),
  };
  const swap = await store.swap({
    ...{ key: at, expected: before?.revision ?? revision(0), value: after },
    ...(noted ? { note } : {}),
  });
  assert.ok(swap.done);
}

async function walked(walk: ReturnType<typeof walkNoted>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const { key: of, entry, changes } of walk) {
    lines.push(`${of.slice("/o/maps/".length)}=${entry?.value ?? ""} ${changes.length}`);
  }
  return lines;
}

test("objects that are there and those that left records are met once, in the order of their keys", async () => {
  const store = await openMemoryStore({ prefix: "/o/" });
  for (const name of ["b", "a", "a-b", "a/b", "c"]) await put(store, name, "1");
  await put(store, "a", "2");
  await put(store, "c", undefined);
  await put(store, "quiet", "1", false);
  const prefix = key("/o/maps/");
  const all = ["a=2 2", "a-b=1 1", "a/b=1 1", "b=1 1", "c= 2", "quiet=1 0"];
  assert.deepEqual(await walked(walkNoted(store, { prefix })), all);
  assert.deepEqual(await walked(walkNoted(store, { prefix, after: key("/o/maps/a-b") })), all.slice(2));
  assert.deepEqual(
    (await walked(walkNotes(store, { prefix }))).map((line) => line.replace(/=\d?/, "=")),
    all.slice(0, 5).map((line) => line.replace(/=\d?/, "=")),
  );
  await store.close();
});

test("a change while pages are read is among those of its object", async () => {
  const store = await openMemoryStore({ prefix: "/o/" });
  const names = Array.from({ length: 1200 }, (_, i) => `n${String(i).padStart(4, "0")}`);
  for (const name of names) await put(store, name, "1");
  let met = 0;
  for await (const { entry, changes } of walkNoted(store, { prefix: key("/o/maps/") })) {
    // The first page of objects has been read, the next ones have not.
    if (met++ === 10) for (const name of names) await put(store, name, "2");
    assert.ok(changes.some((change) => change.revision === entry?.revision));
  }
  assert.equal(met, names.length);
  await store.close();
});
