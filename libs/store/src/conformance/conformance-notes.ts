import assert from "node:assert/strict";
import { isReadable, type NewNote, type NoteSpace } from "../notes.js";
import { type Key, key, revision } from "../revision.js";
import type { Store } from "../store.js";
import { type Drive, drive, follow, line } from "../testing/drive.js";
import type { Scenario } from "./conformance-fixture.js";

function noteOf(d: Drive, at: string, text: string, space: NoteSpace = "states"): NewNote {
  return { space, key: d.key(at), value: Buffer.from(text) };
}

async function list(d: Drive, prefix: string, space: NoteSpace = "states"): Promise<readonly string[]> {
  const notes = await d.store.notes.range({ space, prefix: key(d.prefix + prefix) });
  return notes.map((note) => {
    const text = isReadable(note) ? note.value.toString() : note.why;
    return `${note.key.slice(d.prefix.length)}@${note.revision}=${text}`;
  });
}

interface NoteRange {
  readonly prefix: string;
  readonly from?: string;
  readonly limit?: number;
  readonly maxBytes?: number;
}

function put(store: Store, at: Key, change: { expected: number; value: string | undefined; note: NewNote }) {
  const { expected, value, note } = change;
  return store.swap({
    key: at,
    expected: revision(expected),
    value: value === undefined ? undefined : Buffer.from(value),
    note,
  });
}

/** What every store does with {@link Notes}. */
export const notes: Record<string, Scenario> = {
  "a note is written with its change, at its revision, and not without it": async (d) => {
    const done = await put(d.store, d.key("a"), { expected: 0, value: "1", note: noteOf(d, "a/1", "made") });
    assert.ok(done.done);
    const refused = await put(d.store, d.key("a"), { expected: 0, value: "2", note: noteOf(d, "a/2", "not made") });
    assert.equal(refused.done, false);
    assert.deepEqual(await list(d, ""), [`a/1@${done.revision}=made`]);
    const gone = await put(d.store, d.key("a"), {
      expected: done.revision,
      value: undefined,
      note: noteOf(d, "a/2", "gone", "deleted"),
    });
    assert.ok(gone.done);
    assert.deepEqual(await list(d, "a/", "deleted"), [`a/2@${gone.revision}=gone`]);
    assert.deepEqual(await list(d, "a/"), [`a/1@${done.revision}=made`]);
  },
  "neither ranges nor watches show notes": async (d) => {
    const first = await put(d.store, d.key("a"), { expected: 0, value: "1", note: noteOf(d, "a/1", "n") });
    assert.ok(first.done);
    const second = await put(d.store, d.key("b"), { expected: 0, value: "2", note: noteOf(d, "b/1", "n") });
    assert.ok(second.done);
    assert.equal(await d.list(), "a=1 b=2");
    assert.equal((await d.store.range({ prefix: key(d.prefix), limit: 1 })).count, 2);
    const events = await follow(d.store, { prefix: d.prefix, from: first.revision, count: 2 });
    assert.deepEqual(
      events.map((event) => line(event, d.prefix)),
      [`+a@${first.revision}=1`, `+b@${second.revision}=2`],
    );
  },
  "notes are listed by prefix, from a key on, up to a limit, and removed": async (d) => {
    let expected = 0;
    for (const at of ["x/a/1", "x/a/2", "x/b/1", "y/1"]) {
      const swap = await put(d.store, d.key("o"), { expected, value: at, note: noteOf(d, at, "n") });
      assert.ok(swap.done);
      expected = swap.revision;
    }
    const keys = async (query: NoteRange): Promise<readonly string[]> => {
      const { prefix, from, limit, maxBytes } = query;
      const found = await d.store.notes.range({
        ...{ space: "states", prefix: key(d.prefix + prefix) },
        ...(from === undefined ? {} : { from: d.key(from) }),
        ...(limit === undefined ? {} : { limit }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
      });
      return found.map((note) => note.key.slice(d.prefix.length));
    };
    assert.deepEqual(await keys({ prefix: "x/" }), ["x/a/1", "x/a/2", "x/b/1"]);
    assert.deepEqual(await keys({ prefix: "x/", from: "x/a/2" }), ["x/a/2", "x/b/1"]);
    assert.deepEqual(await keys({ prefix: "x/", limit: 2 }), ["x/a/1", "x/a/2"]);
    // Bytes are those that are stored, of sealed notes more than their text.
    assert.deepEqual(await keys({ prefix: "x/", maxBytes: 1 }), ["x/a/1"]);
    assert.deepEqual(await keys({ prefix: "x/", maxBytes: 1 << 20 }), ["x/a/1", "x/a/2", "x/b/1"]);
    await d.store.notes.remove("states", [d.key("x/a/1"), d.key("y/1"), d.key("never")]);
    assert.deepEqual(await keys({ prefix: "" }), ["x/a/2", "x/b/1"]);
    await d.store.notes.remove("states", []);
  },
  "notes are written anew at their revisions, and those that are gone stay gone": async (d, fixture) => {
    const made: NewNote[] = ["a/1", "a/2", "a/3"].map((at) => noteOf(d, at, "old"));
    const revisions: number[] = [];
    for (const note of made) {
      const swap = await put(d.store, d.key("a"), { expected: revisions.at(-1) ?? 0, value: "1", note });
      assert.ok(swap.done);
      revisions.push(swap.revision);
    }
    const read = await d.store.notes.range({ space: "states", prefix: key(d.prefix) });
    await d.store.notes.remove("states", [d.key("a/2")]);
    const anew = read.filter(isReadable).map((note) => ({ ...note, value: Buffer.from("new") }));
    assert.equal(anew.length, 3);
    await d.store.notes.rewrite("states", anew);
    const expected = [`a/1@${revisions[0]}=new`, `a/3@${revisions[2]}=new`];
    assert.deepEqual(await list(d, ""), expected);
    await d.store.notes.rewrite("states", anew);
    await d.store.notes.rewrite("states", []);
    assert.deepEqual(await list(d, ""), expected);
    assert.equal(await d.list(), "a=1");
    const large = anew.map((note) => ({ ...note, value: Buffer.alloc(700_000, "x") }));
    await d.store.notes.rewrite("states", large);
    assert.equal((await list(d, "")).join().length, expected.join().length + 2 * (700_000 - 3));
    if (fixture.reopen === undefined) return;
    assert.equal((await list(drive(await fixture.reopen(), fixture.prefix), "")).length, 2);
  },
  "more notes than one transaction takes are written anew, those that are gone among them left out": async (d) => {
    const names = Array.from({ length: 140 }, (_, i) => `m${String(i).padStart(3, "0")}`);
    await Promise.all(
      names.map((at) => put(d.store, d.key(at), { expected: 0, value: "1", note: noteOf(d, at, "old") })),
    );
    const read = await d.store.notes.range({ space: "states", prefix: key(d.prefix) });
    await d.store.notes.remove("states", [d.key("m003"), d.key("m139")]);
    await d.store.notes.rewrite(
      "states",
      read.filter(isReadable).map((note) => ({ ...note, value: Buffer.from("new") })),
    );
    const texts = await list(d, "");
    assert.equal(texts.length, 138);
    assert.equal(await d.store.notes.count("states", key(d.prefix)), 138);
    assert.equal(await d.store.notes.count("states", d.key("m01")), 10);
    assert.equal(await d.store.notes.count("deleted", key(d.prefix)), 0);
    assert.ok(texts.every((text) => text.endsWith("=new")));
  },
  "notes outlive compaction, and the store's end": async (d, fixture) => {
    const first = await put(d.store, d.key("a"), { expected: 0, value: "1", note: noteOf(d, "a/1", "one") });
    assert.ok(first.done);
    const second = await put(d.store, d.key("a"), {
      expected: first.revision,
      value: "2",
      note: noteOf(d, "a/2", "two"),
    });
    assert.ok(second.done);
    await d.store.compact(second.revision);
    const expected = [`a/1@${first.revision}=one`, `a/2@${second.revision}=two`];
    assert.deepEqual(await list(d, ""), expected);
    if (fixture.reopen === undefined) return;
    assert.deepEqual(await list(drive(await fixture.reopen(), fixture.prefix), ""), expected);
  },
};
