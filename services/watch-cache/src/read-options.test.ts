import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { printToken } from "./continue-token.js";
import { getFreshness, type ListOptions, listStart, watchStart } from "./read-options.js";

const none: ListOptions = {
  resourceVersion: "",
  resourceVersionMatch: "",
  limit: 0,
  continueToken: "",
  sendInitialEvents: undefined,
};
const token = printToken({ revision: 7, after: "a/b" });
const group = "meta.orch";

function outcome(decide: () => { type: string }): string {
  try {
    return decide().type;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return String(error.code);
  }
}

// spec 1: Resource version semantics, list: match | limit, continue | rv unset, "0", non-zero
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
    const options = { ...none, resourceVersion, resourceVersionMatch: match, sendInitialEvents, allowBookmarks: true };
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

for (const bad of ["abc", "-1", "1.5", "99999999999999999999", "1e3", " 1"]) {
  test(`the resource version "${bad}" is refused`, () => assert.throws(() => getFreshness(bad), { code: 400 }));
}

const forge = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const badTokens = [
  "garbage",
  "%%%",
  forge(null),
  forge({ v: 2, rv: 1, after: "a" }),
  forge({ v: 1, rv: "1", after: "a" }),
  forge({ v: 1, rv: 1, after: "a/b/c" }),
];
for (const bad of badTokens) {
  test(`the continue token ${bad} is refused`, () => {
    assert.throws(() => listStart({ ...none, limit: 1, continueToken: bad }, group), { code: 400 });
  });
}
