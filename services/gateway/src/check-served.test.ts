import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { checkServed } from "./check-served.js";
import { parsePath } from "./path.js";
import { servedParts } from "./service.js";
import { verbOf } from "./verbs.js";

const catalog = loadCatalog(createNaming("orch"));

/** The code that a request is turned away with; 200 where it goes on. */
function outcome(method: string, path: string, podResize = false): number {
  const route = parsePath(path);
  assert.equal(route.type, "resource", path);
  if (route.type !== "resource") return 0;
  const kind = catalog.resource(route.target.group, route.target.version, route.target.resource);
  assert.ok(kind, path);
  try {
    checkServed(kind, route, verbOf(method, route, undefined), servedParts({ podResize, storageVersionHash: true }));
    return 200;
  } catch (error) {
    return ApiError.from(error).code;
  }
}

const pods = "/api/v1/namespaces/a/pods";

// rules: Path shapes; Verbs to HTTP.
const rows: readonly (readonly [method: string, path: string, code: number])[] = [
  ["GET", `${pods}/p`, 200],
  ["GET", "/api/v1/pods", 200],
  ["GET", "/api/v1/pods/p", 404],
  ["POST", "/api/v1/pods", 405],
  ["DELETE", "/api/v1/pods", 405],
  ["GET", "/api/v1/namespaces/a/nodes", 404],
  ["GET", "/api/v1/nodes/n", 200],
  ["GET", `${pods}/p/status`, 200],
  ["PUT", `${pods}/p/status`, 200],
  ["DELETE", `${pods}/p/status`, 405],
  ["GET", `${pods}/p/nothing`, 404],
  ["POST", `${pods}/p/binding`, 200],
  ["GET", `${pods}/p/binding`, 405],
  ["POST", `${pods}/p/eviction`, 200],
  ["GET", "/apis/apps/v1/namespaces/a/deployments/d/scale", 200],
  ["PUT", "/apis/certificates.orch/v1/certificatesigningrequests/c/approval", 200],
  ["PUT", "/api/v1/namespaces/a/finalize", 200],
  // What only a node answers.
  ["GET", `${pods}/p/log`, 200],
  ["GET", `${pods}/p/exec`, 200],
  ["POST", `${pods}/p/attach`, 200],
  ["GET", `${pods}/p/proxy`, 200],
  ["GET", `${pods}/p/proxy/some/path`, 200],
  ["GET", "/api/v1/nodes/n/proxy/metrics", 200],
  ["PUT", `${pods}/p/exec`, 405],
  ["DELETE", `${pods}/p/log`, 405],
  ["OPTIONS", `${pods}/p/proxy`, 200],
  ["OPTIONS", `${pods}/p/exec`, 405],
  ["GET", `${pods}/p/log/more`, 404],
  ["GET", "/api/v1/nodes/n/log", 404],
  ["GET", `${pods}/p/status/more`, 404],
];
for (const [method, path, code] of rows) {
  test(`${method} ${path} is ${code}`, () => assert.equal(outcome(method, path), code));
}

test("pods are resized where the gate is on", () => {
  assert.equal(outcome("PUT", `${pods}/p/resize`), 404);
  assert.equal(outcome("PUT", `${pods}/p/resize`, true), 200);
});
