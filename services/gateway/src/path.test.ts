import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePath } from "./path.js";

// rules: Path shapes
const shapes: readonly [path: string, shape: string][] = [
  ["/api/v1/nodes", "/v1 nodes ns= name= sub="],
  ["/api/v1/nodes/n1", "/v1 nodes ns= name=n1 sub="],
  ["/api/v1/nodes/n1/status", "/v1 nodes ns= name=n1 sub=status"],
  ["/api/v1/pods", "/v1 pods ns= name= sub="],
  ["/api/v1/namespaces/a/pods", "/v1 pods ns=a name= sub="],
  ["/api/v1/namespaces/a/pods/p", "/v1 pods ns=a name=p sub="],
  ["/api/v1/namespaces/a/pods/p/log", "/v1 pods ns=a name=p sub=log"],
  ["/api/v1/namespaces/a/pods/p/proxy/x/y", "/v1 pods ns=a name=p sub=proxy/x/y"],
  ["/api/v1/namespaces/a/services/https:s:web/proxy/x//y%2Fz/", "/v1 services ns=a name=https:s:web sub=proxy/x/y/z"],
  ["/api/v1/nodes/n:10250/proxy//x", "/v1 nodes ns= name=n:10250 sub=proxy/x"],
  ["/api/v1/namespaces", "/v1 namespaces ns= name= sub="],
  ["/api/v1/namespaces/a", "/v1 namespaces ns= name=a sub="],
  ["/api/v1/namespaces/a/status", "/v1 namespaces ns= name=a sub=status"],
  ["/api/v1/namespaces/a/finalize", "/v1 namespaces ns= name=a sub=finalize"],
  ["/api/v1/namespaces/a/", "/v1 namespaces ns= name=a sub="],
  ["/apis/g.example/v1/things", "g.example/v1 things ns= name= sub="],
  ["/apis/g.example/v1/namespaces/a/things/t/scale", "g.example/v1 things ns=a name=t sub=scale"],
  ["/apis/g.example/v1/watch/namespaces/a/things", "g.example/v1 things ns=a name= sub= watch"],
  ["/api/v1/namespaces/a/pods/a%2Db", "/v1 pods ns=a name=a-b sub="],
];
for (const [path, shape] of shapes) {
  test(`${path} names ${shape}`, () => {
    const route = parsePath(path);
    assert.equal(route.type, "resource");
    if (route.type !== "resource") return;
    const { target, watch } = route;
    const { group, version, resource, namespace, name, subresource } = target;
    assert.equal(
      `${group}/${version} ${resource} ns=${namespace} name=${name} sub=${subresource}${watch ? " watch" : ""}`,
      shape,
    );
  });
}

test("discovery has four levels", () => {
  assert.deepEqual(parsePath("/api"), { type: "discovery", path: "/api" });
  assert.deepEqual(parsePath("/apis/"), { type: "discovery", path: "/apis" });
  assert.deepEqual(parsePath("/api/v1"), { type: "discovery", path: "/api/v1", group: "", version: "v1" });
  assert.deepEqual(parsePath("/apis/g/v1"), { type: "discovery", path: "/apis/g/v1", group: "g", version: "v1" });
  assert.deepEqual(parsePath("/apis/g"), { type: "discovery", path: "/apis/g", group: "g" });
});

for (const path of [
  "/api/v1/../nodes",
  "/api//v1/nodes",
  "/api/v1/nodes/%2e%2e/secrets",
  "/api/v1/nodes/a%2Fb",
  "/api/v1/nodes/a%00b",
  "/api/v1/nodes/%zz",
  "/api/v1/nodes//status",
  "/api/v1/namespaces/../pods",
  "/api/v1/nodes/n/proxy/a/../b",
  "/api/v1/nodes/n/proxy//%2e%2e/b",
  "/api/v1/nodes/n/proxy/a%2F..%2Fb",
  "/api/v1/nodes/n/proxy//a%00",
  "/api/v1/nodes/../proxy//a",
  "/api/v1/namespaces/a/pods/p/exec//a",
  "/apis/g.example/v1/namespaces/a/pods/p/proxy//a",
]) {
  test(`${path} names nothing`, () => assert.equal(parsePath(path).type, "unknown"));
}

test("no path throws, and none names a segment with a slash or dots in it", () => {
  const part = fc.constantFrom(
    "api",
    "apis",
    "v1",
    "namespaces",
    "a",
    "..",
    ".",
    "",
    "%2e%2e",
    "%2F",
    "%",
    "watch",
    "é",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const route = parsePath(`/${parts.join("/")}`);
      if (route.type !== "resource") return;
      const { resource, namespace, name: object } = route.target;
      for (const name of [resource, namespace, object]) {
        assert.ok(!name.includes("/") && name !== ".." && name !== ".");
      }
    }),
  );
});
