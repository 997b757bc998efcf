import assert from "node:assert/strict";
import { test } from "node:test";
import { type ListOptions, listStart } from "@orch/api/list-options.js";
import { ApiError } from "@orch/status/api-error.js";
import { getFreshness, watchStart } from "./read-options.js";

const none: ListOptions = {
  resourceVersion: "",
  resourceVersionMatch: "",
  limit: 0,
  continueToken: "",
  sendInitialEvents: undefined,
};
const token = "some-token";
const group = "meta.orch";
const watching = { allowBookmarks: true, streamingLists: true };

function outcome(decide: () => { type: string }): string {
  try {
    return decide().type;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return String(error.code);
  }
}

// rules: Resource version semantics, list: match | limit, continue | rv unset, "0", non-zero
const listRows: readonly [
  match: string,
  limit: number,
  continueToken: string,
  cells: readonly [string, string, string],
][] = [
  ["", 0, "", ["mostRecent", "any", "notOlderThan"]],
  ["", 5, "", ["mostRecent", "any", "exact"]],
  ["", 5, token, ["continue", "continue", "400"]],
  ["Exact", 0, "", ["422", "422", "exact"]],
  ["Exact", 5, "", ["422", "422", "exact"]],
  ["NotOlderThan", 0, "", ["422", "any", "notOlderThan"]],
  ["NotOlderThan", 5, "", ["422", "any", "notOlderThan"]],
  ["Other", 0, "", ["422", "422", "422"]],
  ["Exact", 5, token, ["422", "422", "422"]],
];
for (const [match, limit, continueToken, cells] of listRows) {
  ["", "0", "9"].forEach((resourceVersion, column) => {
    const title = `list: match "${match}" limit ${limit} continue ${continueToken !== ""} rv "${resourceVersion}"`;
    test(`${title} is ${cells[column]}`, () => {
      const options = { ...none, resourceVersion, resourceVersionMatch: match, limit, continueToken };
      assert.equal(
        outcome(() => listStart(options, group)),
        cells[column],
      );
    });
  });
}

const watchRows: readonly [rv: string, match: string, initial: boolean | undefined, expected: string][] = [
  ["", "", undefined, "initialState"],
  ["0", "", undefined, "initialState"],
  ["9", "", undefined, "after"],
  ["", "NotOlderThan", true, "initialState"],
  ["9", "NotOlderThan", true, "initialState"],
  ["", "NotOlderThan", false, "now"],
  ["9", "NotOlderThan", false, "after"],
  ["", "", true, "422"],
  ["9", "Exact", true, "422"],
  ["9", "NotOlderThan", undefined, "422"],
];
for (const [resourceVersion, match, sendInitialEvents, expected] of watchRows) {
  test(`watch: rv "${resourceVersion}" match "${match}" sendInitialEvents ${sendInitialEvents} is ${expected}`, () => {
    const options = { ...none, resourceVersion, resourceVersionMatch: match, sendInitialEvents, ...watching };
    assert.equal(
      outcome(() => watchStart(options, group)),
      expected,
    );
  });
}

test("get: unset is Most Recent, 0 Any, else NotOlderThan", () => {
  assert.equal(getFreshness("").type, "mostRecent");
  assert.equal(getFreshness("0").type, "any");
  assert.equal(getFreshness("12").type, "notOlderThan");
});

const uint = (text: string, why: string): string =>
  `invalid resource version: resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${why}`;
for (const [bad, why] of [
  ["abc", "invalid syntax"],
  ["-1", "invalid syntax"],
  ["+1", "invalid syntax"],
  ["1.5", "invalid syntax"],
  ["1e3", "invalid syntax"],
  [" 1", "invalid syntax"],
  ["18446744073709551616", "value out of range"],
] as const) {
  test(`the resource version "${bad}" is refused`, () => {
    assert.throws(() => getFreshness(bad), { code: 400, message: uint(bad, why) });
  });
}

test("a version of 64 bits is far away, zeros before a version change nothing", () => {
  assert.deepEqual(getFreshness("18446744073709551615"), { type: "notOlderThan", revision: Number.MAX_SAFE_INTEGER });
  assert.deepEqual(getFreshness("007"), { type: "notOlderThan", revision: 7 });
  assert.deepEqual(getFreshness("00"), { type: "any" });
});

const match = "resourceVersionMatch";
const unlessVersion = `${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided`;
const whenContinue = `${match}: Forbidden: ${match} is forbidden when continue is provided`;
const unknownMatch = `${match}: Unsupported value: "Other": supported values: "Exact", "NotOlderThan", ""`;
const exactZero = `${match}: Forbidden: ${match} "exact" is forbidden for resourceVersion "0"`;
const listInitial = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list";
const refusedLists: readonly (readonly [options: Partial<ListOptions>, causes: readonly string[]])[] = [
  [{ resourceVersionMatch: "Exact" }, [unlessVersion]],
  [{ resourceVersionMatch: "NotOlderThan", continueToken: token }, [unlessVersion, whenContinue]],
  [{ resourceVersionMatch: "Exact", resourceVersion: "0", continueToken: token }, [whenContinue, exactZero]],
  [{ resourceVersionMatch: "Other" }, [unlessVersion, unknownMatch]],
  [{ sendInitialEvents: false }, [listInitial]],
  [{ resourceVersionMatch: "Exact", sendInitialEvents: true }, [unlessVersion, listInitial]],
];
const needsMatch = `${match}: Forbidden: sendInitialEvents requires setting ${match} to NotOlderThan`;
const needsInitial = `${match}: Forbidden: ${match} is forbidden for watch unless sendInitialEvents is provided`;
const onlyNotOlder = (value: string): string =>
  `${match}: Unsupported value: "${value}": supported values: "NotOlderThan"`;
const refusedWatches: readonly (readonly [options: Partial<ListOptions>, causes: readonly string[]])[] = [
  [{ sendInitialEvents: true }, [needsMatch]],
  [{ sendInitialEvents: false, resourceVersion: "9" }, [needsMatch]],
  [{ sendInitialEvents: true, resourceVersionMatch: "Exact" }, [needsMatch, onlyNotOlder("Exact")]],
  [{ resourceVersionMatch: "NotOlderThan" }, [needsInitial]],
  [{ resourceVersionMatch: "Other" }, [needsInitial, onlyNotOlder("Other")]],
];

/** The message of the causes together. */
function told(causes: readonly string[]): string {
  const list = causes.length === 1 ? causes[0] : `[${causes.join(", ")}]`;
  return `ListOptions.${group} "" is invalid: ${list}`;
}
for (const [options, causes] of refusedLists) {
  test(`a list with ${JSON.stringify(options)} is refused with all that is wrong with it`, () => {
    assert.throws(() => listStart({ ...none, ...options }, group), { code: 422, message: told(causes) });
  });
}
for (const [options, causes] of refusedWatches) {
  test(`a watch with ${JSON.stringify(options)} is refused with all that is wrong with it`, () => {
    const all = { ...none, ...options, ...watching };
    assert.throws(() => watchStart(all, group), { code: 422, message: told(causes) });
  });
}

test("a watch from no version tells the end of its state to who takes bookmarks, as a streaming list does", () => {
  for (const resourceVersion of ["", "0"]) {
    for (const allowBookmarks of [true, false]) {
      const start = watchStart({ ...none, resourceVersion, ...watching, allowBookmarks }, group);
      assert.equal(start.type === "initialState" && start.announceEnd, allowBookmarks);
    }
  }
});

test("without streaming lists nothing may ask for initial events, and no end of a state is told", () => {
  const off = { ...none, ...watching, streamingLists: false };
  const gate =
    "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
  assert.throws(() => watchStart({ ...off, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }, group), {
    message: told([gate]),
  });
  assert.throws(() => watchStart({ ...off, sendInitialEvents: false }, group), { message: told([needsMatch, gate]) });
  const start = watchStart(off, group);
  assert.equal(start.type === "initialState" && start.announceEnd, false);
});
