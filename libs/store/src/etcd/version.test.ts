import assert from "node:assert/strict";
import { test } from "node:test";
import { canReportProgress } from "./version.js";

const rows: readonly [version: string, can: boolean][] = [
  ["3.4.23", false],
  ["3.4.25", true],
  ["3.5.7", false],
  ["3.5.8", true],
  ["3.6.0-rc.1", true],
  ["3.3.27", false],
  ["4.0.0", true],
  ["", false],
  ["nonsense", false],
];
for (const [version, can] of rows) {
  test(`progress of etcd "${version}" is ${can ? "believed" : "not asked for"}`, () => {
    assert.equal(canReportProgress(version), can);
  });
}
