import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceAttributes } from "@orch/auth/authorizer.js";
import { parseRequestTarget } from "./http/request.js";
import { parsePath } from "./path.js";
import { attributesOf } from "./request-attributes.js";
import { verbOf } from "./verbs.js";

const user = { name: "ann", uid: "", groups: [], extra: {} };

function attributes(method: string, target: string) {
  const { path, query } = parseRequestTarget(target);
  const route = parsePath(path);
  const verb = route.type === "resource" ? verbOf(method, route, query) : method.toLowerCase();
  const { user: who, ...rest } = attributesOf({ route, verb, request: { query } }, user);
  assert.equal(who, user);
  return rest;
}

const pods = "/api/v1/namespaces/a/pods";
const none = { group: "", version: "v1", subresource: "", namespace: "", name: "" };
const inA = { ...none, resource: "pods", namespace: "a" };
const named = (name: string): string => `fieldSelector=metadata.name%3D${name}`;

const rows: readonly (readonly [method: string, target: string, wanted: Partial<ResourceAttributes>])[] = [
  ["GET", pods, { ...inA, verb: "list" }],
  ["GET", `${pods}/x`, { ...inA, verb: "get", name: "x" }],
  ["POST", `${pods}/x/binding`, { ...inA, verb: "create", name: "x", subresource: "binding" }],
  [
    "PUT",
    "/apis/apps/v1/namespaces/a/deployments/d/scale",
    {
      ...inA,
      verb: "update",
      group: "apps",
      resource: "deployments",
      name: "d",
      subresource: "scale",
    },
  ],
  // What follows a subresource belongs to whoever serves it.
  ["GET", `${pods}/x/proxy/a/b`, { ...inA, verb: "get", name: "x", subresource: "proxy" }],
  // A namespace is in itself, with its subresources; all of them are nowhere.
  ["GET", "/api/v1/namespaces/a", { ...none, verb: "get", resource: "namespaces", namespace: "a", name: "a" }],
  [
    "PUT",
    "/api/v1/namespaces/a/finalize",
    {
      ...none,
      verb: "update",
      resource: "namespaces",
      namespace: "a",
      name: "a",
      subresource: "finalize",
    },
  ],
  ["GET", "/api/v1/namespaces", { ...none, verb: "list", resource: "namespaces" }],
  [
    "GET",
    `/api/v1/namespaces?${named("a")}`,
    {
      ...none,
      verb: "list",
      resource: "namespaces",
      name: "a",
      fieldSelector: "metadata.name=a",
    },
  ],
  // Selectors, and the one name that they let through.
  ["GET", `${pods}?${named("x")}`, { ...inA, verb: "list", name: "x", fieldSelector: "metadata.name=x" }],
  ["GET", `${pods}?watch=1&${named("=x")}`, { ...inA, verb: "watch", name: "x", fieldSelector: "metadata.name==x" }],
  [
    "GET",
    `${pods}?fieldSelector=spec.nodeName%3Dn,metadata.name%3Dx&labelSelector=a%20in%20(b)`,
    {
      ...inA,
      verb: "list",
      name: "x",
      fieldSelector: "spec.nodeName=n,metadata.name=x",
      labelSelector: "a in (b)",
    },
  ],
  ["GET", `${pods}?fieldSelector=metadata.name!%3Dx`, { ...inA, verb: "list", fieldSelector: "metadata.name!=x" }],
  ["GET", `${pods}?fieldSelector=metadata.names%3Dx`, { ...inA, verb: "list", fieldSelector: "metadata.names=x" }],
  // The first of two counts: for what is read, too.
  ["GET", `${pods}?${named("x")}&${named("y")}`, { ...inA, verb: "list", name: "x", fieldSelector: "metadata.name=x" }],
  ["GET", `${pods}?fieldSelector=&${named("y")}`, { ...inA, verb: "list" }],
  // What is no name, or no selector, lets nobody through to one.
  ...["", ".", "..", "a%252Fb", "a%2Fb", "x%3Dy", "x%5C"].map((name) => {
    const fieldSelector = decodeURIComponent(`metadata.name=${name}`);
    return ["GET", `${pods}?${named(name)}`, { ...inA, verb: "list", fieldSelector }] as const;
  }),
  ["DELETE", `${pods}?${named("x")}`, { ...inA, verb: "deletecollection", fieldSelector: "metadata.name=x" }],
  // Not where nothing is selected.
  ["DELETE", `${pods}/x?${named("y")}`, { ...inA, verb: "delete", name: "x" }],
  ["GET", `${pods}/x?${named("y")}`, { ...inA, verb: "get", name: "x" }],
  ["POST", `${pods}?${named("y")}`, { ...inA, verb: "create" }],
  ["GET", `${pods}/x?watch=1&${named("y")}`, { ...inA, verb: "watch", name: "x", fieldSelector: "metadata.name=y" }],
  ["GET", `/api/v1/watch/namespaces/a/pods?${named("x")}`, { ...inA, verb: "watch" }],
];
for (const [method, target, wanted] of rows) {
  test(`${method} ${target}`, () => assert.deepEqual(attributes(method, target), { kind: "resource", ...wanted }));
}

test("what is no resource is a path as it came", () => {
  for (const [method, path] of [
    ["GET", "/healthz"],
    ["POST", "/apis/apps/v1"],
    ["GET", "/api/v1/namespaces/a/pods/%2e%2e"],
  ] as const) {
    assert.deepEqual(attributes(method, `${path}?${named("x")}`), { kind: "path", verb: method.toLowerCase(), path });
  }
});
