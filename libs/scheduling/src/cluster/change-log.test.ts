import assert from "node:assert/strict";
import { test } from "node:test";
import { createChangeLog } from "./change-log.js";
import { createKeptSums } from "./kept-sums.js";

function heard(log: ReturnType<typeof createChangeLog<string>>, mark: number): readonly string[] | "too long ago" {
  const changes: string[] = [];
  return log.since(mark, (change) => changes.push(change)) ? changes : "too long ago";
}

test("a log tells what has changed since a mark, in order", () => {
  const log = createChangeLog<string>(10);
  const begin = log.end;
  log.record("a", 1);
  const mark = log.end;
  log.record("b", 1);
  log.record("c", 1);
  assert.deepEqual(heard(log, begin), ["a", "b", "c"]);
  assert.deepEqual(heard(log, mark), ["b", "c"]);
  assert.deepEqual(heard(log, log.end), []);
});

test("beyond its weight a log forgets the oldest changes, and says so", () => {
  const log = createChangeLog<string>(10);
  const marks = Array.from({ length: 50 }, (_, i) => {
    const mark = log.end;
    log.record(String(i), 1);
    return mark;
  });
  assert.equal(heard(log, marks[39] ?? 0), "too long ago");
  assert.deepEqual(heard(log, marks[40] ?? 0), ["40", "41", "42", "43", "44", "45", "46", "47", "48", "49"]);
  const mark = log.end;
  log.record("heavy", 8);
  assert.deepEqual(heard(log, marks[48] ?? 0), ["48", "49", "heavy"]);
  assert.equal(heard(log, marks[47] ?? 0), "too long ago");
  log.record("heavier than all", 11);
  assert.equal(heard(log, mark), "too long ago");
  assert.deepEqual(heard(log, log.end), []);
});

test("a log that nobody has a mark of holds nothing", () => {
  const log = createChangeLog<string>(10);
  log.record("a", 1);
  const mark = log.end;
  assert.deepEqual(heard(log, mark), []);
});

test("kept sums: the ones asked for last stay, as many as there is room for", () => {
  const kept = createKeptSums<number>();
  for (let i = 0; i < 100; i++) kept.set(`t${i}`, i, 1);
  assert.equal(kept.get("t35"), undefined);
  assert.equal(kept.get("t36"), 36);
  kept.set("t36", 36, 1);
  kept.set("one more", 0, 1);
  assert.equal(kept.get("t36"), 36);
  assert.equal(kept.get("t37"), undefined);
  // Of very many domains nothing else is kept beside it.
  kept.set("large", 1, 1 << 18);
  assert.equal(kept.get("one more"), undefined);
  assert.equal(kept.get("large"), 1);
  kept.set("larger", 2, (1 << 18) + 1);
  assert.equal(kept.get("large"), undefined);
  assert.equal(kept.get("larger"), undefined);
  kept.set("small", 3, 1);
  assert.equal(kept.get("small"), 3);
});
