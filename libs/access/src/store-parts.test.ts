import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { storePlaces } from "./store-parts.js";

const catalog = loadCatalog(createNaming("kubernetes"));
const places = (...texts: readonly string[]) => storePlaces(texts, catalog);

test("resources of the same etcd are one part, in whichever order its members are named", () => {
  assert.deepEqual(places("/events#http://a:1;http://b:1", "apps/deployments#c:1", "/pods#http://b:1;http://a:1"), {
    ok: true,
    value: [
      { prefixes: ["/orch/events/", "/orch/pods/"], endpoints: ["http://a:1", "http://b:1"] },
      { prefixes: ["/orch/deployments/"], endpoints: ["c:1"] },
    ],
  });
  assert.deepEqual(places(), { ok: true, value: [] });
});

test("a part is named by either group that its objects are read by", () => {
  assert.deepEqual(places("events.k8s.io/events#a:1"), places("/events#a:1"));
});

const refused: readonly (readonly [string, RegExp])[] = [
  ["events#a:1", /is not group\/resource#server;server/],
  ["/events", /is not group\/resource#server;server/],
  ["/events#", /is not group\/resource#server;server/],
  ["/events#;", /is not group\/resource#server;server/],
  ["/events#a:1#b:1", /is not group\/resource#server;server/],
  ["/v1/events#a:1", /is not group\/resource#server;server/],
  ["/nothing#a:1", /there is no resource "\/nothing" to store/],
  ["example.com/things#a:1", /custom ones stand in --etcd-servers/],
  ["apiextensions.k8s.io/customresourcedefinitions#a:1", /stand in --etcd-servers: all else is read by them/],
];
for (const [text, problem] of refused) {
  test(`refused: ${text}`, () => {
    const read = places(text);
    assert.ok(!read.ok);
    assert.match(read.problems.join(), problem);
  });
}

test("what is stored at one place cannot stand in two", () => {
  const read = places("/events#a:1", "events.k8s.io/events#b:1");
  assert.ok(!read.ok);
  assert.match(read.problems.join(), /where the same is stored again/);
});
