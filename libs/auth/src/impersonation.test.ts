import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { Attributes, Authorizer } from "./authorizer.js";
import { impersonate, wantsImpersonation } from "./impersonation.js";
import { authenticatedUser } from "./user.js";

const naming = createNaming("kubernetes");
const sender = authenticatedUser(naming, { name: "ann" });

/** `users/bob`, `authentication.k8s.io/userextras/scopes/view`, `n:serviceaccounts/a`: what was asked for. */
function question(attributes: Attributes): string {
  assert.ok(attributes.kind === "resource");
  const { group, resource, subresource, namespace, name, verb, user } = attributes;
  assert.equal(verb, "impersonate");
  assert.equal(user, sender);
  return `${namespace === "" ? "" : `${namespace}:`}${[group, resource, subresource, name].filter((p) => p !== "").join("/")}`;
}

function allowing(allowed: (question: string) => boolean): Authorizer & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    authorize(attributes) {
      asked.push(question(attributes));
      return { outcome: allowed(question(attributes)) ? "allow" : "noOpinion", reason: "" };
    },
  };
}

interface Row {
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly asked: readonly string[];
  readonly user: object;
}

const rows: readonly Row[] = [
  {
    headers: { "impersonate-user": ["bob"] },
    asked: ["users/bob"],
    user: { name: "bob", uid: "", groups: ["system:authenticated"], extra: {} },
  },
  {
    headers: { "impersonate-user": ["bob"], "impersonate-group": ["a, b", "c"], "impersonate-uid": ["7"] },
    asked: ["users/bob", "groups/a, b", "groups/c", "authentication.k8s.io/uids/7"],
    user: { name: "bob", uid: "7", groups: ["a, b", "c", "system:authenticated"], extra: {} },
  },
  {
    headers: { "impersonate-user": ["bob"], "impersonate-extra-acme.com%2fscopes": ["x", "y"], other: ["z"] },
    asked: [
      "users/bob",
      "authentication.k8s.io/userextras/acme.com/scopes/x",
      "authentication.k8s.io/userextras/acme.com/scopes/y",
    ],
    user: { name: "bob", uid: "", groups: ["system:authenticated"], extra: { "acme.com/scopes": ["x", "y"] } },
  },
  {
    headers: { "impersonate-user": ["system:serviceaccount:n:a"] },
    asked: ["n:serviceaccounts/a"],
    user: {
      name: "system:serviceaccount:n:a",
      uid: "",
      groups: ["system:serviceaccounts", "system:serviceaccounts:n", "system:authenticated"],
      extra: {},
    },
  },
  {
    headers: { "impersonate-user": ["system:serviceaccount:n:a"], "impersonate-group": ["g"] },
    asked: ["n:serviceaccounts/a", "groups/g"],
    user: { name: "system:serviceaccount:n:a", uid: "", groups: ["g", "system:authenticated"], extra: {} },
  },
  {
    headers: { "impersonate-user": ["system:serviceaccount:n:a:b"] },
    asked: ["users/system:serviceaccount:n:a:b"],
    user: { name: "system:serviceaccount:n:a:b", uid: "", groups: ["system:authenticated"], extra: {} },
  },
  {
    headers: { "impersonate-user": ["system:anonymous"] },
    asked: ["users/system:anonymous"],
    user: { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} },
  },
  {
    headers: { "impersonate-user": ["bob"], "impersonate-extra-%zz": ["1"] },
    asked: ["users/bob", "authentication.k8s.io/userextras/%zz/1"],
    user: { name: "bob", uid: "", groups: ["system:authenticated"], extra: { "%zz": ["1"] } },
  },
  {
    headers: { "impersonate-user": ["bob"], "impersonate-extra-a%2fb": ["1"], "impersonate-extra-%61%2fb": ["2"] },
    asked: ["users/bob", "authentication.k8s.io/userextras/a/b/1", "authentication.k8s.io/userextras/a/b/2"],
    user: { name: "bob", uid: "", groups: ["system:authenticated"], extra: { "a/b": ["1", "2"] } },
  },
  {
    headers: { "impersonate-user": ["bob"], "impersonate-extra-__proto__": ["1"] },
    asked: ["users/bob", "authentication.k8s.io/userextras/__proto__/1"],
    user: { name: "bob", uid: "", groups: ["system:authenticated"], extra: { ["__proto__"]: ["1"] } },
  },
];

test("each part of an identity is asked for by itself", async () => {
  for (const { headers, asked, user } of rows) {
    const authorizer = allowing(() => true);
    assert.deepEqual(await impersonate(sender, headers, { naming, authorizer }), user);
    assert.deepEqual(authorizer.asked, asked);
  }
});

test("no part is had without its right", async () => {
  for (const { headers, asked } of rows) {
    for (const missing of asked) {
      const authorizer = allowing((one) => one !== missing);
      await assert.rejects(impersonate(sender, headers, { naming, authorizer }), {
        reason: "Forbidden",
        message: / is forbidden: User "ann" cannot impersonate resource /,
      });
    }
  }
});

test("system:masters without the right to it is refused", async () => {
  const headers = { "impersonate-user": ["ann"], "impersonate-group": ["system:masters"] };
  await assert.rejects(
    impersonate(sender, headers, { naming, authorizer: allowing((one) => one.startsWith("users/")) }),
    {
      message:
        'groups "system:masters" is forbidden: User "ann" cannot impersonate resource "groups" in API group "" at the cluster scope',
    },
  );
});

test("what names no user is no identity", async () => {
  for (const headers of [
    { "impersonate-group": ["g"] },
    { "impersonate-uid": ["1"] },
    { "impersonate-extra-a": ["1"] },
  ]) {
    const authorizer = allowing(() => true);
    await assert.rejects(impersonate(sender, headers, { naming, authorizer }), { reason: "BadRequest" });
    assert.deepEqual(authorizer.asked, []);
  }
  assert.equal(wantsImpersonation({ "impersonate-group": "g" }), true);
  assert.equal(wantsImpersonation({ host: "x", authorization: "y" }), false);
  assert.equal(wantsImpersonation({ "impersonate-user": "" }), false);
  assert.equal(wantsImpersonation({ "impersonate-user": "", "impersonate-uid": "u" }), true);
});
