import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePath } from "./path.js";
import { checkTarget, verbOf } from "./verbs.js";

const collection = "/api/v1/namespaces/a/configmaps";
const single = `${collection}/b`;

// rules: Verbs to HTTP. "405" where the path does not take the verb, which is asked for (and authorized) all the same.
const rows: readonly [method: string, target: string, verb: string, allowed: boolean][] = [
  ["GET", single, "get", true],
  ["HEAD", single, "get", true],
  ["GET", collection, "list", true],
  ["GET", `${collection}?watch=1`, "watch", true],
  ["GET", `${collection}?watch`, "watch", true],
  ["GET", `${collection}?watch=false`, "list", true],
  ["GET", `${single}?watch=true`, "watch", true],
  ["GET", "/api/v1/watch/namespaces/a/configmaps", "watch", true],
  ["POST", collection, "create", true],
  ["POST", single, "create", false],
  ["PUT", single, "update", true],
  ["PUT", collection, "update", false],
  ["PATCH", single, "patch", true],
  ["PATCH", collection, "patch", false],
  ["DELETE", single, "delete", true],
  ["DELETE", collection, "deletecollection", true],
  ["POST", "/api/v1/watch/namespaces/a/configmaps", "create", false],
  ["DELETE", "/api/v1/watch/namespaces/a/configmaps/b", "delete", false],
  ["DELETE", "/api/v1/watch/namespaces/a/configmaps", "deletecollection", false],
  ["OPTIONS", single, "options", true],
];
for (const [method, target, verb, allowed] of rows) {
  test(`${method} ${target} is ${verb}${allowed ? "" : ", and not allowed"}`, () => {
    const [path = "", query] = target.split("?");
    const route = parsePath(path);
    assert.equal(route.type, "resource");
    if (route.type !== "resource") return;
    assert.equal(verbOf(method, route, query === undefined ? undefined : new URLSearchParams(query)), verb);
    if (allowed) checkTarget(verb, route);
    else assert.throws(() => checkTarget(verb, route), { code: 405 });
  });
}
