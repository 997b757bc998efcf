import assert from "node:assert/strict";
import { test } from "node:test";
import { durationMs } from "./duration.js";

test("durations are those of Go", () => {
  for (const [text, ms] of [
    ["0", 0],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    ["-2s", -2000],
    ["5", undefined],
    ["s", undefined],
    ["", undefined],
    ["1 s", undefined],
    [`${"9".repeat(80)}s`, undefined],
  ] as const) {
    assert.equal(durationMs(text), ms, text);
  }
});
