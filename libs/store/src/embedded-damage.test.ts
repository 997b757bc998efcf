import assert from "node:assert/strict";
import { cp, mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "lmdb";
import { checkStore } from "./check-store.js";
import { DamagedEntry } from "./damaged-entry.js";
import { createDamages } from "./embedded/damages.js";
import { openDatabase } from "./embedded/database.js";
import { decodeNote, encodeNote, noteAt } from "./embedded/note-record.js";
import { decodeRecord, encodeRecord } from "./embedded/record.js";
import { scrubOnce } from "./embedded/scrub.js";
import { openEmbeddedStore } from "./embedded-store.js";
import { isReadable } from "./notes.js";
import { key, noRevision, revision } from "./revision.js";
import { StoreRefused } from "./store-refused.js";
import { damageText } from "./testing/damage.js";
import { drive, follow, line } from "./testing/drive.js";

async function inDirectory(use: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), "orch-store-"));
  try {
    await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

const lost = "what the medium will lose";

/** A store with `a`, `b` and `c` at revisions 1, 2 and 3, of which `b` is damaged. */
async function withDamagedB(path: string): Promise<ReturnType<typeof openEmbeddedStore>> {
  const store = await openEmbeddedStore({ path, prefix: "/" });
  const d = drive(store, "/");
  await d.put("a", 0, "1");
  await d.put("b", 0, lost);
  await d.put("c", 0, "3");
  await store.close();
  assert.ok((await damageText(join(path, "data.mdb"), lost)) > 0);
  return openEmbeddedStore({ path, prefix: "/" });
}

const isDamagedB = (error: unknown): boolean =>
  error instanceof DamagedEntry && error.key === "/b" && error.revision === 2 && error.code === 500;

test("an entry that is not what was written is refused by its key, and the others are served", async () => {
  await inDirectory(async (path) => {
    const store = await withDamagedB(path);
    const d = drive(store, "/");
    await assert.rejects(store.get(key("/b")), isDamagedB);
    assert.equal((await store.get(key("/a")))?.value.toString(), "1");
    await assert.rejects(store.range({ prefix: key("/") }), isDamagedB);
    const told = await store.range({ prefix: key("/"), damaged: "told" });
    assert.deepEqual(
      [told.entries.map((entry) => entry.key), told.damaged?.map((damage) => damage.key), told.count],
      [["/a", "/c"], ["/b"], 3],
    );
    assert.deepEqual(
      store.condition.damaged.map((damage) => damage.key),
      ["/b"],
    );
    // Whoever swaps beside it in the same commit has no trouble.
    const swaps = await Promise.allSettled([
      d.put("d", 0, "4"),
      store.swap({ key: key("/b"), expected: noRevision, value: Buffer.from("x") }),
      d.put("a", 1, "5"),
    ]);
    assert.deepEqual(
      swaps.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    await store.close();
  });
});

test("a damaged change is an event of its own, and its deletion one as ever", async () => {
  await inDirectory(async (path) => {
    const store = await withDamagedB(path);
    const d = drive(store, "/");
    await d.remove("b", 2);
    assert.equal(store.condition.damaged.length, 0);
    assert.equal(await store.get(key("/b")), undefined);
    const events = await follow(store, { prefix: "/", from: revision(1), count: 4 });
    assert.deepEqual(
      events.map((event) => line(event, "/")),
      // Its key has moved on, so that nobody can say of which the change was.
      ["+a@1=1", "!@2", "+c@3=3", "-b@4 (undefined)"],
    );
    await store.close();
  });
});

test("a damaged change that is its key's last one is told by that key", async () => {
  await inDirectory(async (path) => {
    const store = await withDamagedB(path);
    const events = await follow(store, { prefix: "/", from: revision(1), count: 3 });
    assert.deepEqual(
      events.map((event) => line(event, "/")),
      ["+a@1=1", "!b@2", "+c@3=3"],
    );
    await store.close();
  });
});

test("a line that is whole but under another revision, or of another key, is damaged", () => {
  const record = { type: "put", created: 7, previous: 0, key: Buffer.from("/a"), value: Buffer.from("1") } as const;
  const bytes = encodeRecord(7, record);
  assert.deepEqual(decodeRecord(7, bytes, bytes.length), record);
  assert.equal(decodeRecord(8, bytes, bytes.length).type, "damaged");
  assert.equal(decodeRecord(7 + 2 ** 32, bytes, bytes.length).type, "damaged");
  for (let at = 0; at < bytes.length; at++) {
    const other = Buffer.from(bytes);
    other[at] = (other[at] ?? 0) ^ 0x10;
    assert.equal(decodeRecord(7, other, other.length).type, "damaged", `byte ${at}`);
    assert.equal(decodeRecord(7, bytes, at).type, "damaged", `cut at ${at}`);
  }
});

test("a scrub finds what nobody reads, and knows what is gone", async () => {
  await inDirectory(async (path) => {
    await (await withDamagedB(path)).close();
    const database = openDatabase(join(path, "data.mdb"));
    const told: string[] = [];
    const damages = createDamages(({ key, why }) => void told.push(`${key}: ${why}`));
    const round = async (): Promise<void> => {
      const all: Parameters<typeof damages.seen>[0][number][] = [];
      const { signal } = new AbortController();
      const pause = (): Promise<void> => Promise.resolve();
      await scrubOnce({ database, signal, pause, checked: () => undefined, found: (damage) => void all.push(damage) });
      damages.seen(all);
    };
    await round();
    await round();
    assert.deepEqual(told, ["/b: its checksum does not match"]);
    await database.commit({ forgotten: [2], places: new Map([["/b", undefined]]) });
    await round();
    assert.deepEqual(damages.all, []);
    await database.close();
  });
});

test("compaction does not follow what a damaged line says", async () => {
  await inDirectory(async (path) => {
    const store = await openEmbeddedStore({ path, prefix: "/" });
    const d = drive(store, "/");
    await d.put("a", 0, "1");
    await d.put("b", 0, "1");
    await d.put("b", 2, lost);
    await d.put("b", 3, "3");
    await store.close();
    await damageText(join(path, "data.mdb"), lost);
    const reopened = await openEmbeddedStore({ path, prefix: "/" });
    await reopened.compact(revision(4));
    assert.equal(await drive(reopened, "/").list(), "a=1 b=3");
    await assert.rejects(drive(reopened, "/").list(revision(3)), { reason: "Expired" });
    await reopened.close();
  });
});

test("a database of format 1 is opened, and gets checksums", async () => {
  await inDirectory(async (path) => {
    await writeFormat1(join(path, "data.mdb"));
    const lines: string[] = [];
    const note = (_: unknown, message: string): void => void lines.push(message);
    const logger = { info: note, warn: note, error: note };
    const store = await openEmbeddedStore({ path, prefix: "/", logger });
    assert.deepEqual(lines, ["upgrading the data: older versions cannot read it any more"]);
    assert.equal(await drive(store, "/").list(), "a=old");
    await store.close();
    assert.deepEqual((await checkStore({ path })).damaged, []);
    assert.ok((await damageText(join(path, "data.mdb"), "old")) > 0);
    assert.equal((await checkStore({ path })).damaged.length, 1);
  });
});

/** As the version before wrote it: a change without a checksum, and no identity. */
async function writeFormat1(file: string): Promise<void> {
  const root = open<Buffer, Buffer>({
    path: file,
    noSubdir: true,
    encoding: "binary",
    keyEncoding: "binary",
    maxDbs: 3,
  });
  const table = (name: string) => root.openDB<Buffer, Buffer>(name, { encoding: "binary", keyEncoding: "binary" });
  const [index, log, meta] = [table("index"), table("log"), table("meta")];
  const one = Buffer.from([0, 0, 0, 0, 0, 1]);
  const line = Buffer.concat([Buffer.from([1]), one, Buffer.alloc(6), Buffer.from([0, 2]), Buffer.from("/aold")]);
  await root.transaction(() => {
    void index.put(Buffer.from("/a"), Buffer.concat([one, one]));
    void log.put(one, line);
    void meta.put(Buffer.from("format"), one);
    void meta.put(Buffer.from("revision"), one);
  });
  await root.close();
}

const repairs: readonly [string, { backup: boolean; remove: boolean }, string, string][] = [
  ["restored from a backup", { backup: true, remove: false }, "restored", `a=1 b=${lost} c=3`],
  ["deleted where it is asked for", { backup: false, remove: true }, "removed", "a=1 c=3"],
];
for (const [name, { backup, remove }, how, list] of repairs) {
  test(`what is damaged is told by a check, and ${name}`, async () => {
    await inDirectory(async (path) => {
      const [live, saved] = [join(path, "live"), join(path, "saved")];
      const store = await openEmbeddedStore({ path: live, prefix: "/" });
      const d = drive(store, "/");
      await d.put("a", 0, "1");
      await d.put("b", 0, lost);
      await store.close();
      await cp(live, saved, { recursive: true });
      const again = await openEmbeddedStore({ path: live, prefix: "/" });
      await drive(again, "/").put("c", 0, "3");
      await again.close();
      await damageText(join(live, "data.mdb"), lost);
      const report = await checkStore({ path: live });
      assert.deepEqual(
        report.damaged.map((damage) => [damage.key, damage.revision, damage.present]),
        [["/b", 2, true]],
      );
      const file = backup ? join(saved, "data.mdb") : undefined;
      const mended = await checkStore({ path: live, mend: { backup: file, remove } });
      assert.deepEqual(
        mended.damaged.map((damage) => damage.mended?.how),
        [how],
      );
      const reopened = await openEmbeddedStore({ path: live, prefix: "/" });
      assert.equal(await drive(reopened, "/").list(), list);
      await reopened.close();
    });
  });
}

const broken: readonly [string, (file: string) => Promise<void>, RegExp][] = [
  ["empty", (file) => truncate(file, 0), /data\.mdb is empty: restore it from a backup/],
  ["truncated", async (file) => truncate(file, 12_000), /is truncated, it has 12000 of \d+ bytes: restore it/],
  ["missing", (file) => rm(file), /data\.mdb is missing: restore it/],
  ["overwritten", (file) => writeFile(file, Buffer.alloc(200_000, 7)), /is no database, or its beginning is damaged/],
];
for (const [name, breakIt, sentence] of broken) {
  test(`a database file that is ${name} is refused with a sentence, and left as it is`, async () => {
    await inDirectory(async (path) => {
      const store = await openEmbeddedStore({ path, prefix: "/" });
      await drive(store, "/").put("a", 0, "1");
      await store.close();
      const file = join(path, "data.mdb");
      await breakIt(file);
      const size = await sizeOf(file);
      const refused = (error: unknown): boolean => error instanceof StoreRefused && sentence.test(error.message);
      await assert.rejects(openEmbeddedStore({ path, prefix: "/" }), refused);
      await assert.rejects(checkStore({ path }), refused);
      assert.equal(await sizeOf(file), size);
    });
  });
}

async function sizeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size;
}

const lostNote = "what the medium will lose of the past";

/** A store with `a`, whose three changes have notes, of which the one in the middle is damaged; and one from before that. */
async function withDamagedNote(path: string): Promise<{ readonly live: string; readonly saved: string }> {
  const [live, saved] = [join(path, "live"), join(path, "saved")];
  const store = await openEmbeddedStore({ path: live, prefix: "/" });
  let expected = noRevision;
  for (const [i, text] of ["first", lostNote, "third"].entries()) {
    const note = { space: i === 2 ? ("deleted" as const) : ("states" as const), key: key(`/a\0${i}`) };
    const value = i === 2 ? undefined : Buffer.from(String(i));
    const swap = await store.swap({ key: key("/a"), expected, value, note: { ...note, value: Buffer.from(text) } });
    assert.ok(swap.done);
    expected = swap.revision;
  }
  await store.close();
  await cp(live, saved, { recursive: true });
  assert.ok((await damageText(join(live, "data.mdb"), lostNote)) > 0);
  return { live, saved };
}

async function notesOf(path: string): Promise<readonly string[]> {
  const store = await openEmbeddedStore({ path, prefix: "/" });
  const notes = await store.notes.range({ space: "states", prefix: key("/a\0") });
  await store.close();
  return notes.map((note) => (isReadable(note) ? `${note.revision} ${note.value}` : `${note.revision} ${note.why}`));
}

const noteRepairs: readonly [string, boolean, readonly string[], string][] = [
  ["is restored from a backup", true, ["1 first", `2 ${lostNote}`], "restored"],
  ["is given up where no backup has it", false, ["1 first"], "forgotten"],
];
for (const [name, backup, left, how] of noteRepairs) {
  test(`a damaged note is told by a check, and ${name}`, async () => {
    await inDirectory(async (path) => {
      const { live, saved } = await withDamagedNote(path);
      const report = await checkStore({ path: live });
      assert.equal(report.notes, 3);
      const why = "its checksum does not match";
      assert.deepEqual(report.damaged, [{ key: "/a\u00001", revision: 2, why, present: false, note: "states" }]);
      const file = backup ? join(saved, "data.mdb") : undefined;
      const mended = await checkStore({ path: live, mend: { backup: file, remove: false } });
      assert.deepEqual(
        mended.damaged.map((damage) => damage.mended?.how),
        [how],
      );
      assert.deepEqual(await notesOf(live), left);
      assert.deepEqual((await checkStore({ path: live })).damaged, []);
    });
  });
}

test("a damaged note is told once by who reads it, the others are given, and it can be removed", async () => {
  await inDirectory(async (path) => {
    const { live } = await withDamagedNote(path);
    const told: unknown[] = [];
    const note = (facts: unknown, message: string): void => void told.push([facts, message]);
    const logger = { info: () => {}, warn: () => {}, error: note };
    const store = await openEmbeddedStore({ path: live, prefix: "/", logger });
    const read = () => store.notes.range({ space: "states", prefix: key("/a\0") });
    assert.equal((await read()).length, 2);
    await read();
    assert.deepEqual(
      store.condition.damaged.map((damage) => [damage.key, damage.note]),
      [["/a\u00001", "states"]],
    );
    assert.equal(told.length, 1);
    await store.notes.remove("states", [key("/a\u00001")]);
    assert.equal((await read()).length, 1);
    assert.deepEqual(store.condition.damaged, []);
    await store.close();
  });
});

test("a note that stands in the place of another is damaged, and so is one that is cut", () => {
  const written = { space: "states", key: key("/a\u00001"), value: Buffer.from("text"), revision: 7 } as const;
  const bytes = encodeNote(written);
  const [place, other] = [noteAt("states", written.key), noteAt("states", key("/a\u00002"))];
  assert.deepEqual(decodeNote(place, bytes, bytes.length), { key: "/a\u00001", value: written.value, revision: 7 });
  const moved = decodeNote(other, bytes, bytes.length);
  assert.deepEqual(moved, { key: "/a\u00002", revision: 7, why: "another key stands in its place" });
  for (let size = 0; size < bytes.length; size++) {
    const cut = decodeNote(place, bytes.subarray(0, size), size);
    assert.ok("why" in cut && cut.key === "/a\u00001", `cut at ${size}`);
  }
  for (let at = 0; at < bytes.length; at++) {
    const turned = Buffer.from(bytes);
    turned[at] = (turned[at] ?? 0) ^ 0x10;
    assert.ok("why" in decodeNote(place, turned, turned.length), `byte ${at}`);
  }
});
