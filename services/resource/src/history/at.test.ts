import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectState, ObjectStates } from "@orch/history/states.js";
import { parseMoment, stateAt } from "./at.js";

const hour = 3600_000;
const now = Date.parse("2026-11-24T12:00:00Z");
const at = (hoursAgo: number): number => now - hoursAgo * hour;

interface Told {
  readonly revision: number;
  /** Hours ago; of whom nobody knows who made it absent. */
  readonly made?: number;
  readonly change?: ObjectState["change"];
  /** Hours ago. */
  readonly created?: number;
}

function states(...told: readonly Told[]): ObjectStates {
  const all = told.map(({ revision, made, change, created = 1000 }): ObjectState => {
    const names = { verb: "update", subresource: "", user: "ann", manager: "", userAgent: "", auditId: "" };
    const metadata = { creationTimestamp: new Date(at(created)).toISOString() };
    const author = made === undefined ? undefined : { ...names, time: at(made) };
    return { revision, change, author, value: Buffer.from(JSON.stringify({ metadata })) };
  });
  const changes = all.filter(({ author }) => author !== undefined).length;
  return { changes, isEmpty: all.length === 0, [Symbol.iterator]: () => all[Symbol.iterator]() };
}

const kept = { limits: { maxAgeMs: 24 * hour, maxStates: 3 }, now };

function found(of: ObjectStates, moment: string | number): number | string {
  const answer = stateAt(
    of,
    typeof moment === "string" ? parseMoment(moment) : { type: "time", time: at(moment) },
    kept,
  );
  return answer.type === "state" ? answer.state.revision : answer.type;
}

test("a state is in force from its revision to the next one, a deletion is none", () => {
  const life = states(
    { revision: 9, made: 1, change: "created" },
    { revision: 7, made: 2, change: "deleted" },
    { revision: 5, made: 3, change: "changed" },
    { revision: 3, made: 4, change: "created" },
  );
  const expected = { 10: 9, 9: 9, 8: "nothing", 7: "nothing", 6: 5, 5: 5, 4: 3, 3: 3, 2: "nothing" };
  for (const [revision, state] of Object.entries(expected)) assert.equal(found(life, revision), state, revision);
  assert.equal(found(life, 1.5), "nothing");
  assert.equal(found(life, 2.5), 5);
  assert.equal(found(life, 5), "nothing");
  assert.equal(found(states(), "5"), "nothing");
});

test("what lies before all that is kept is unknown, not absent", () => {
  const cut = states({ revision: 9, made: 1, change: "changed" }, { revision: 7 });
  assert.equal(found(cut, "8"), 7);
  assert.equal(found(cut, "6"), "unknown");
  assert.equal(found(states({ revision: 7, change: "created" }), "6"), "nothing");
});

test("a state without an author counts from the creation on, as far as records go back", () => {
  const old = states({ revision: 7, created: 1000 });
  assert.equal(found(old, 5), 7);
  assert.equal(found(old, 30), "unknown");
  assert.equal(found(states({ revision: 7, created: 10 }), 12), "nothing");
  const full = states(
    { revision: 9, made: 1, change: "changed" },
    { revision: 8, made: 2, change: "changed" },
    { revision: 7, made: 3, change: "changed" },
    { revision: 6 },
  );
  assert.equal(found(full, 2.5), 7);
  assert.equal(found(full, 4), "unknown");
});

test("a moment is a revision or a time, and anything else is refused", () => {
  assert.deepEqual(parseMoment("12"), { type: "revision", revision: 12 });
  assert.deepEqual(parseMoment("2026-11-24T12:00:00Z"), { type: "time", time: now });
  assert.deepEqual(parseMoment("2026-11-24T13:00:00.000+01:00"), { type: "time", time: now });
  for (const text of ["", "-1", "1e3", "yesterday", "2026-11-24", "2026-13-24T12:00:00Z", "1".repeat(16)])
    assert.throws(() => parseMoment(text), /must be a revision or an RFC 3339 time/, text);
});
