import assert from "node:assert/strict";
import { test } from "node:test";
import { identityOf, serviceIdentity, servicePeers } from "./service-identity.js";

const gateway = "spiffe://cluster.local/service/gateway";

const rows: ReadonlyArray<readonly [title: string, names: string | undefined, identity: string | undefined]> = [
  ["one URI", `URI:${gateway}`, gateway],
  ["a URI among other names", `DNS:a.example, URI:${gateway}, IP Address:127.0.0.1`, gateway],
  ["no names at all", undefined, undefined],
  ["an empty text", "", undefined],
  ["no URI", "DNS:gateway", undefined],
  ["two URIs: who is it?", `URI:${gateway}, URI:spiffe://cluster.local/service/resource`, undefined],
  ["the same URI twice", `URI:${gateway}, URI:${gateway}`, undefined],
  ["a URI of another form", "URI:https://cluster.local/service/gateway", undefined],
  ["a name that pretends to be a list", `DNS:"a, URI:${gateway}"`, undefined],
  ["a quoted quote that pretends to end", `DNS:"a\\", URI:${gateway}, DNS:\\"b"`, undefined],
  ["a directory name with a URI in it", `DirName:"CN=x, URI:${gateway}"`, undefined],
  ["a URI in quotes is not what it looks like", `URI:"${gateway}"`, undefined],
  ["what cannot be read", `URI:${gateway}, "`, undefined],
];
for (const [title, subjectaltname, identity] of rows) {
  test(`who a certificate names: ${title}`, () => assert.equal(identityOf({ subjectaltname }), identity));
}

test("those are taken that are expected, in their trust domain, to the letter", () => {
  const check = servicePeers("cluster.local", ["gateway", "monitoring"]);
  const verdict = (uri: string): boolean => check({ subjectaltname: `URI:${uri}` }).accepted;
  assert.equal(serviceIdentity("cluster.local", "gateway"), gateway);
  assert.ok(verdict(gateway));
  assert.ok(verdict("spiffe://cluster.local/service/monitoring"));
  for (const other of [
    "spiffe://cluster.local/service/resource",
    "spiffe://other.domain/service/gateway",
    "spiffe://cluster.local/service/gateway/",
    "spiffe://cluster.local/service/Gateway",
    "spiffe://cluster.local/ns/gateway",
  ]) {
    assert.equal(verdict(other), false, other);
  }
  assert.deepEqual(check({}), { accepted: false, identity: "" });
  assert.equal(servicePeers("cluster.local", [])({ subjectaltname: `URI:${gateway}` }).accepted, false);
});
