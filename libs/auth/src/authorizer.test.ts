import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Attributes,
  type Authorizer,
  type Decision,
  firstOpinion,
  noOpinion,
  type ResourceAttributes,
} from "./authorizer.js";
import { alwaysAllowPaths, defaultAlwaysAllowPaths, groupMayAll } from "./fixed-authorizers.js";
import { forbiddenError } from "./forbidden.js";
import { resourceAttributes, user } from "./testing/attributes.js";
import type { UserInfo } from "./user.js";

const bob = user("bob");
const admin = user("admin", "system:masters");

const path = (of: UserInfo, at: string): Attributes => ({ kind: "path", user: of, verb: "get", path: at });

const resource = (of: UserInfo, fields: Partial<ResourceAttributes> = {}): Attributes =>
  resourceAttributes({ user: of, resource: "configmaps", namespace: "obs", ...fields });

test("masters may do all, everyone may see health, nobody else has an opinion made for them", () => {
  const authorizer = firstOpinion([
    groupMayAll("system:masters"),
    alwaysAllowPaths([...defaultAlwaysAllowPaths, "openapi/*"]),
  ]);
  const rows: readonly (readonly [Attributes, Decision["outcome"]])[] = [
    [resource(admin), "allow"],
    [path(admin, "/metrics"), "allow"],
    [resource(bob), "noOpinion"],
    [path(bob, "/livez"), "allow"],
    [path(bob, "/livez/ping"), "noOpinion"],
    [path(bob, "/openapi/v2"), "allow"],
    [path(bob, "/openapi"), "noOpinion"],
    [path(bob, "/metrics"), "noOpinion"],
    [resource(bob, { resource: "/livez" }), "noOpinion"],
  ];
  for (const [attributes, outcome] of rows) {
    const decision = authorizer.authorize(attributes);
    assert.ok(!(decision instanceof Promise));
    assert.equal(decision.outcome, outcome, JSON.stringify(attributes));
  }
  assert.throws(() => alwaysAllowPaths(["/a/*/b"]), /trailing \*/);
});

test("the first opinion decides and reasons of those without one are joined", async () => {
  const says = (decision: Decision): Authorizer => ({ authorize: () => decision });
  const later = (decision: Decision): Authorizer => ({ authorize: () => Promise.resolve(decision) });
  const because = (reason: string): Decision => ({ outcome: "noOpinion", reason });
  const deny: Decision = { outcome: "deny", reason: "policy" };
  const allow: Decision = { outcome: "allow", reason: "" };
  const decide = (...list: Authorizer[]) => firstOpinion(list).authorize(resource(bob));
  assert.deepEqual(await decide(says(noOpinion), later(deny), says(allow)), deny);
  assert.deepEqual(await decide(later(noOpinion), says(allow), later(deny)), allow);
  assert.deepEqual(await decide(says(because("a")), later(because("b")), says(noOpinion)), because("a, b"));
  assert.deepEqual(decide(), noOpinion);
});

test("a 403 has the reference's words", () => {
  const rows: readonly (readonly [Attributes, string, string])[] = [
    [
      resource(bob, { verb: "list" }),
      "",
      'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "obs"',
    ],
    [
      resource(bob, { name: "a" }),
      "",
      'configmaps "a" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "obs"',
    ],
    [
      resource(bob, { resource: "nodes", namespace: "", subresource: "status", name: "n" }),
      "",
      'nodes "n" is forbidden: User "bob" cannot get resource "nodes/status" in API group "" at the cluster scope',
    ],
    [
      resource(bob, { group: "apps", resource: "deployments", verb: "create" }),
      "no role",
      'deployments.apps is forbidden: User "bob" cannot create resource "deployments" in API group "apps" in the namespace "obs": no role',
    ],
    [path(bob, "/metrics"), "", 'forbidden: User "bob" cannot get path "/metrics"'],
  ];
  for (const [attributes, reason, message] of rows) {
    const error = forbiddenError(attributes, reason);
    assert.equal(error.message, message);
    assert.equal(error.code, 403);
  }
  assert.deepEqual(forbiddenError(resource(bob, { name: "a" })).details, { name: "a", kind: "configmaps" });
  assert.deepEqual(forbiddenError(path(bob, "/x")).details, {});
});
