import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTarget } from "./exchange.js";

const rows: readonly (readonly [target: string, path: string, query: string | undefined])[] = [
  ["/api/v1/pods?limit=1", "/api/v1/pods", "limit=1"],
  ["/api/v1/pods", "/api/v1/pods", undefined],
  ["https://host:1/api/v1/pods?limit=1", "/api/v1/pods", "limit=1"],
  ["HTTP://host", "/", undefined],
  ["https://host?watch=1", "/", "watch=1"],
  ["https://user@host/%2e%2e", "/%2e%2e", undefined],
  ["//host/api", "//host/api", undefined],
  ["ftp://host/api", "ftp://host/api", undefined],
  ["*", "*", undefined],
];

test("a request's target has a path and a query, in whatever form it comes", () => {
  for (const [target, path, query] of rows) {
    const parsed = parseTarget(target);
    assert.deepEqual([parsed.path, parsed.query?.toString()], [path, query], target);
  }
});
