import assert from "node:assert/strict";
import { test } from "node:test";
import { decideToken, isTrackedEnough, type TokenState } from "./decide-tokens.js";

const words = { lastUsed: "used", invalidSince: "invalid" };
const now = Date.parse("2026-06-15T12:00:00Z");
const periodMs = 365 * 24 * 3_600_000;
const state: TokenState = { words, now, periodMs, isListed: () => true, isMounted: () => false };

type Row = readonly [
  what: string,
  labels: Readonly<Record<string, string>>,
  is: string,
  more?: object,
  by?: Partial<TokenState>,
];
const rows: readonly Row[] = [
  ["was never used", {}, "invalid since 2026-06-15"],
  ["was used a year ago", { used: "2025-06-14" }, "invalid since 2026-06-15"],
  ["was used within a year", { used: "2025-06-15" }, "keep"],
  ["was used at a time that nobody understands", { used: "last summer" }, "keep"],
  ["is young", {}, "keep", { creationTimestamp: "2025-06-16T00:00:00Z" }],
  ["goes", {}, "keep", { deletionTimestamp: "2026-06-15T00:00:00Z" }],
  ["was made by hand", {}, "keep", {}, { isListed: () => false }],
  ["is mounted", {}, "keep", {}, { isMounted: () => true }],
  ["is invalid", { invalid: "2025-06-15" }, "keep"],
  ["is invalid for a year", { invalid: "2025-06-14" }, "delete"],
  ["is invalid for a year, and was used since", { invalid: "2025-06-14", used: "2026-06-01" }, "keep"],
  ["is invalid since no day", { invalid: "2025-02-30" }, "invalid since 2026-06-15"],
];
for (const [what, labels, is, more = {}, by = {}] of rows) {
  test(`a token that ${what}: ${is}`, () => {
    const metadata = { name: "s", creationTimestamp: "2024-01-01T00:00:00Z", labels, ...more };
    const decision = decideToken({ metadata }, { ...state, ...by });
    assert.equal(typeof decision === "string" ? decision : `invalid since ${decision.invalidSince}`, is);
  });
}

test("uses must have been recorded for the whole period, and a day", () => {
  assert.equal(isTrackedEnough("2025-06-14", { now, periodMs }), true);
  assert.equal(isTrackedEnough("2025-06-15", { now, periodMs }), false);
  assert.equal(isTrackedEnough(undefined, { now, periodMs }), false);
  assert.equal(isTrackedEnough("soon", { now, periodMs }), false);
});
