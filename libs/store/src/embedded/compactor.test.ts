import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { key, noRevision, type Revision } from "../revision.js";
import { ageOnce, createCompactor } from "./compactor.js";
import { createDamages } from "./damages.js";
import { type EmbeddedDatabase, openDatabase } from "./database.js";
import { createWriter } from "./writer.js";

const roomy = { admit: () => true, admitEssential: () => true, take: () => {}, exhausted: () => {}, full: false };

async function withDatabase(use: (database: EmbeddedDatabase) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "orch-store-"));
  const database = openDatabase(join(directory, "data.mdb"));
  try {
    await use(database);
  } finally {
    await database.close();
    await rm(directory, { recursive: true });
  }
}

/** What the log holds: its revisions. */
function log(database: EmbeddedDatabase): readonly number[] {
  const snapshot = database.snapshot();
  try {
    return [...snapshot.heads(1)].map(({ revision }) => revision);
  } finally {
    snapshot.release();
  }
}

test("compaction frees what no revision from it on can see, and nothing else", async () => {
  await withDatabase(async (database) => {
    const writer = createWriter({
      database,
      room: roomy,
      damages: createDamages(() => undefined),
      committed: () => undefined,
    });
    const write = async (name: string, expected: Revision, value?: string): Promise<Revision> => {
      const swap = await writer.swap({
        key: key(name),
        expected,
        value: value === undefined ? undefined : Buffer.from(value),
      });
      assert.ok(swap.done);
      return swap.revision;
    };
    // 1 a, 2 b, 3 a, 4 delete b, 5 c, 6 a, 7 delete c
    const a1 = await write("a", noRevision, "1");
    const b1 = await write("b", noRevision, "1");
    const a2 = await write("a", a1, "2");
    await write("b", b1);
    const c1 = await write("c", noRevision, "1");
    await write("a", a2, "3");
    await write("c", c1);
    const compactor = createCompactor(database, new AbortController().signal);
    const rows: readonly [to: number, left: readonly number[]][] = [
      [1, [1, 2, 3, 4, 5, 6, 7]],
      [3, [2, 3, 4, 5, 6, 7]],
      [4, [3, 5, 6, 7]],
      [6, [5, 6, 7]],
      [7, [6]],
    ];
    for (const [to, left] of rows) {
      await compactor.compact(to);
      await compactor.swept();
      assert.deepEqual(log(database), left, `after compaction to ${to}`);
    }
    assert.equal(await write("b", noRevision, "again"), 8);
  });
});

test("history is compacted to the revision that stood historyMs ago, across restarts of the process", async () => {
  await withDatabase(async (database) => {
    const writer = createWriter({
      database,
      room: roomy,
      damages: createDamages(() => undefined),
      committed: () => undefined,
    });
    const compactor = createCompactor(database, new AbortController().signal);
    let now = 1_000_000;
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    let at = noRevision;
    const compactedAfter: number[] = [];
    for (let minute = 0; minute < 8; minute++) {
      await ageOnce({ database, compactor, clock, historyMs: 300_000 });
      const snapshot = database.snapshot();
      snapshot.release();
      compactedAfter.push(snapshot.compacted);
      const swap = await writer.swap({ key: key("a"), expected: at, value: Buffer.from(String(minute)) });
      assert.ok(swap.done);
      at = swap.revision;
      now += 60_000;
    }
    // Minute 6 looks back at minute 1, when revision 1 was the newest; nothing younger is ever lost.
    assert.deepEqual(compactedAfter, [0, 0, 0, 0, 0, 0, 1, 2]);
  });
});

test("a clock that was set back between two runs holds compaction back no longer than history is kept", async () => {
  await withDatabase(async (database) => {
    const writer = createWriter({
      database,
      room: roomy,
      damages: createDamages(() => undefined),
      committed: () => undefined,
    });
    const compactor = createCompactor(database, new AbortController().signal);
    let now = 100_000_000;
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    await writer.swap({ key: key("a"), expected: noRevision, value: Buffer.from("1") });
    await ageOnce({ database, compactor, clock, historyMs: 300_000 });
    now -= 50_000_000;
    const compactedAfter: number[] = [];
    for (let minute = 0; minute < 7; minute++) {
      await ageOnce({ database, compactor, clock, historyMs: 300_000 });
      const snapshot = database.snapshot();
      snapshot.release();
      compactedAfter.push(snapshot.compacted);
      now += 60_000;
    }
    assert.deepEqual(compactedAfter, [0, 0, 0, 0, 0, 1, 1]);
  });
});
