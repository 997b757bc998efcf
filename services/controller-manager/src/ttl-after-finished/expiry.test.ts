import assert from "node:assert/strict";
import { test } from "node:test";
import { expiryOf } from "./expiry.js";

const over = (type: string, status = "True") => ({ type, status, lastTransitionTime: "2026-01-01T00:00:00Z" });
const rows: readonly (readonly [
  what: string,
  ttl: number | undefined,
  conditions: readonly object[],
  expiry: number | undefined,
])[] = [
  ["one that is complete goes after its time", 10, [over("Complete")], Date.UTC(2026, 0, 1, 0, 0, 10)],
  ["one that has failed too", 0, [over("SuccessCriteriaMet"), over("Failed")], Date.UTC(2026, 0, 1)],
  ["one that runs stays", 10, [over("Suspended"), over("Complete", "False")], undefined],
  ["one without a time stays", undefined, [over("Complete")], undefined],
];
for (const [what, ttl, conditions, expiry] of rows) {
  test(`of jobs ${what}`, () => {
    const spec = ttl === undefined ? {} : { ttlSecondsAfterFinished: ttl };
    assert.equal(expiryOf({ metadata: {}, spec, status: { conditions } }), expiry);
  });
}
