import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLimitOf } from "./time-limit.js";

test("a request may take as long as its timeout says, and no longer than all", () => {
  const rows: readonly (readonly [query: string, ms: number])[] = [
    ["", 60_000],
    ["timeout=", 60_000],
    ["timeout=0", 60_000],
    ["timeout=1500ms", 1500],
    ["timeout=1h", 60_000],
    ["timeout=-1s", -1000],
  ];
  for (const [query, ms] of rows) assert.equal(timeLimitOf(new URLSearchParams(query), 60_000), ms, query);
  assert.equal(timeLimitOf(undefined, 60_000), 60_000);
  for (const bad of ["1", "soon", "1s 2"]) {
    assert.throws(
      () => timeLimitOf(new URLSearchParams({ timeout: bad }), 60_000),
      /^ApiError: invalid timeout specified/,
    );
  }
});
