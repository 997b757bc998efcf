import assert from "node:assert/strict";
import { appendFile, mkdtemp, open, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { SpoolReader } from "./reader.js";
import { openSpool, type Spool, SpoolError } from "./spool.js";

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "spool-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const opened = (folder: string, maxBytes = 1 << 20): Promise<Spool> =>
  openSpool({ folder, maxBytes, pid: process.pid, warn: () => {}, saveEveryMs: 1 });
const texts = (from: number, count: number, size = 0): Buffer[] =>
  Array.from({ length: count }, (_, i) => Buffer.from(`${from + i}:${"x".repeat(size)}`));
const plain = { sync: false, keepUnread: false };
const strict = { sync: true, keepUnread: true };

/** The numbers of the records that a reader gets until there are none, and how many it has lost. */
async function drained(reader: SpoolReader, most = 7): Promise<{ readonly read: number[]; readonly lost: number }> {
  const read: number[] = [];
  let gone = 0;
  for (;;) {
    const { records, next, lost } = await reader.read(most);
    gone += lost;
    for (const record of records) read.push(Number(record.toString().split(":")[0]));
    if (next === reader.next) return { read, lost: gone };
    reader.advance(next);
  }
}

const upTo = (end: number, from = 0): number[] => Array.from({ length: end - from }, (_, i) => from + i);
const segmentsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".segment")).sort();

test("each reader gets every record once, in order, and goes on where it was after a restart", async (t) => {
  const folder = await folderFor(t);
  const first = await opened(folder);
  const [fast, slow] = [await first.reader("fast"), await first.reader("slow")];
  await Promise.all([first.append(texts(0, 10), plain), first.append(texts(10, 10), strict)]);
  assert.deepEqual(await drained(fast), { read: upTo(20), lost: 0 });
  const { records, next } = await slow.read(5);
  assert.equal(records.length, 5);
  slow.advance(next);
  await first.close();

  const second = await opened(folder);
  const again = [await second.reader("fast"), await second.reader("slow")] as const;
  await second.append(texts(20, 5), plain);
  assert.deepEqual(await drained(again[0]), { read: upTo(25, 20), lost: 0 });
  assert.deepEqual(await drained(again[1]), { read: upTo(25, 5), lost: 0 });
  await second.close();
});

test("what was read and not taken is read again", async (t) => {
  const spool = await opened(await folderFor(t));
  const reader = await spool.reader("r");
  await spool.append(texts(0, 3), plain);
  await reader.read(2);
  assert.deepEqual(await drained(reader), { read: [0, 1, 2], lost: 0 });
  await spool.close();
});

test("segments that every reader is done with are removed", async (t) => {
  const folder = await folderFor(t);
  const spool = await opened(folder, 1 << 16);
  const [one, other] = [await spool.reader("one"), await spool.reader("other")];
  for (let i = 0; i < 40; i++) await spool.append(texts(i, 1, 1_000), plain);
  assert.ok((await segmentsIn(folder)).length > 3);
  await drained(one);
  await drained(other);
  await spool.close();
  assert.equal((await segmentsIn(folder)).length, 1);
});

test("a full spool drops its oldest records and tells who has not had them", async (t) => {
  const folder = await folderFor(t);
  const spool = await opened(folder, 1 << 16);
  const reader = await spool.reader("r");
  for (let i = 0; i < 300; i++) await spool.append(texts(i, 1, 1_000), plain);
  assert.ok(spool.bytes <= 1 << 16);
  const { read, lost } = await drained(reader);
  assert.deepEqual(read, upTo(300, lost));
  assert.ok(lost > 200 && lost < 300, `${lost}`);
  await spool.close();
});

test("a strict record is refused rather than kept at the cost of one that nobody has had", async (t) => {
  const spool = await opened(await folderFor(t), 1 << 16);
  const reader = await spool.reader("r");
  let kept = 0;
  await assert.rejects(async () => {
    for (; kept < 300; kept++) await spool.append(texts(kept, 1, 1_000), strict);
  }, SpoolError);
  assert.deepEqual(await drained(reader), { read: upTo(kept), lost: 0 });
  await spool.append(texts(kept, 1, 1_000), strict);
  await assert.rejects(spool.append(texts(0, 1, 1 << 17), plain), /more than the spool holds/);
  await spool.close();
});

test("what a power failure has left in part is cut off, and the rest is there", async (t) => {
  const tails: readonly ((path: string, size: number) => Promise<void>)[] = [
    (path, size) => truncate(path, size - 1),
    (path, size) => truncate(path, size - 11),
    (path) => appendFile(path, Buffer.alloc(5_000)),
    (path) => appendFile(path, Buffer.from([9, 0, 0])),
    (path) => appendFile(path, Buffer.alloc(64, 0xff)),
  ];
  for (const [i, spoil] of tails.entries()) {
    const folder = await folderFor(t);
    const before = await opened(folder);
    await before.append(texts(0, 5, 100), plain);
    await before.close();
    const path = join(folder, (await segmentsIn(folder)).at(-1) ?? "");
    await spoil(path, (await stat(path)).size);
    const after = await opened(folder);
    const kept = i < 2 ? 4 : 5;
    assert.equal(after.end, kept);
    const reader = await after.reader("r");
    await after.append(texts(kept, 2), plain);
    assert.deepEqual(await drained(reader), { read: upTo(kept + 2), lost: 0 });
    await after.close();
  }
});

test("damage within costs the rest of its segment, and it is told how much", async (t) => {
  const folder = await folderFor(t);
  const before = await opened(folder, 1 << 16);
  for (let i = 0; i < 30; i++) await before.append(texts(i, 1, 1_000), plain);
  await before.close();
  const [first = ""] = await segmentsIn(folder);
  const file = await open(join(folder, first), "r+");
  await file.write(Buffer.from("?"), 0, 1, 2_500);
  await file.close();
  const after = await opened(folder, 1 << 16);
  const { read, lost } = await drained(await after.reader("r"), 100);
  assert.equal(read.length + lost, 30);
  assert.ok(lost > 0 && lost < 9, `${lost}`);
  assert.deepEqual(read.slice(-5), upTo(30, 25));
  await after.close();
});

test("cursors that cannot be read, and those of records to come, do no harm", async (t) => {
  const folder = await folderFor(t);
  const before = await opened(folder);
  await before.append(texts(0, 3), plain);
  await before.close();
  for (const [name, text] of [
    ["a", "nonsense"],
    ["b", "-4"],
    ["c", "99999"],
  ] as const) {
    await writeFile(join(folder, `${name}.cursor`), text);
  }
  const after = await opened(folder);
  assert.deepEqual(await Promise.all(["a", "b", "c"].map(async (name) => (await after.reader(name)).next)), [0, 0, 3]);
  await after.close();
});

test("a folder has one process", async (t) => {
  const folder = await folderFor(t);
  await writeFile(join(folder, "lock"), "1\n");
  await assert.rejects(opened(folder), /in use by process 1/);
  await writeFile(join(folder, "lock"), "999999999\n");
  await (await opened(folder)).close();
});

test("a reader waits for more, or for its signal", async (t) => {
  const spool = await opened(await folderFor(t));
  const reader = await spool.reader("r");
  const stop = new AbortController();
  const more = reader.more(1, stop.signal);
  let woken = false;
  void more.then(() => {
    woken = true;
  });
  await spool.append(texts(0, 1), plain);
  assert.equal(woken, false);
  await spool.append(texts(1, 1), plain);
  await more;
  const later = reader.more(10, stop.signal);
  stop.abort();
  await later;
  await spool.close();
  await assert.rejects(spool.append(texts(0, 1), plain), /closed/);
});
