import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import fc from "fast-check";
import { parseAuthorizationConfiguration, reloadProblem } from "./authorization-config.js";

const naming = createNaming("orch");
const head = { apiVersion: "apiserver.config.orch/v1", kind: "AuthorizationConfiguration" };
const goodWebhook = {
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  failurePolicy: "Deny",
  connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "/etc/authz.conf" },
};
const hook = (fields: object = {}) => ({ type: "Webhook", name: "a", webhook: { ...goodWebhook, ...fields } });
const parse = (authorizers: unknown) => parseAuthorizationConfiguration({ ...head, authorizers }, naming);

test("a whole configuration is read in every version and dialect", async () => {
  for (const dialect of dialects) {
    for (const version of ["v1", "v1beta1", "v1alpha1"]) {
      const words = createNaming(dialect);
      const parsed = await parseAuthorizationConfiguration(
        {
          apiVersion: `${words.group("apiserver.config")}/${version}`,
          kind: "AuthorizationConfiguration",
          authorizers: [
            { type: "Node", name: "node" },
            {
              type: "Webhook",
              name: "first",
              webhook: {
                ...goodWebhook,
                authorizedTTL: "1m30s",
                unauthorizedTTL: "5s",
                timeout: "30s",
                matchConditionSubjectAccessReviewVersion: "v1",
              },
            },
            {
              type: "Webhook",
              name: "second",
              webhook: {
                ...goodWebhook,
                subjectAccessReviewVersion: "v1beta1",
                failurePolicy: "NoOpinion",
                connectionInfo: { type: "InClusterConfig", kubeConfigFile: null },
                matchConditions: null,
              },
            },
            { type: "RBAC", name: "rbac", webhook: null },
          ],
        },
        words,
      );
      assert.deepEqual(parsed, {
        ok: true,
        value: {
          authorizers: [
            { type: "Node", name: "node" },
            {
              type: "Webhook",
              name: "first",
              webhook: {
                authorizedTtlMs: 90_000,
                unauthorizedTtlMs: 5000,
                timeoutMs: 30_000,
                reviewVersion: "v1",
                failurePolicy: "Deny",
                connection: { type: "KubeConfigFile", path: "/etc/authz.conf" },
              },
            },
            {
              type: "Webhook",
              name: "second",
              webhook: {
                authorizedTtlMs: 300_000,
                unauthorizedTtlMs: 30_000,
                timeoutMs: 3000,
                reviewVersion: "v1beta1",
                failurePolicy: "NoOpinion",
                connection: { type: "InClusterConfig" },
              },
            },
            { type: "RBAC", name: "rbac" },
          ],
        },
      });
    }
  }
});

const expressions = "authorizers[0].webhook.matchConditions";
const rows: readonly (readonly [authorizers: unknown, ...problems: string[]])[] = [
  [undefined, "authorizers: Required value: at least one authorization mode must be defined"],
  [[], "authorizers: Required value: at least one authorization mode must be defined"],
  ["RBAC", "authorizers: must be a list"],
  [["RBAC"], "authorizers[0]: must be an object"],
  [[{}], "authorizers[0].type: Required value"],
  [
    [{ type: "Masters", name: "masters" }],
    'authorizers[0].type: Unsupported value: "Masters": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
  ],
  [
    [
      { type: "RBAC", name: "rbac" },
      { type: "RBAC", name: "rbac" },
    ],
    'authorizers[1].type: Duplicate value: "RBAC"',
  ],
  [[hook(), hook()], 'authorizers[1].name: Duplicate value: "a"'],
  [[{ type: "RBAC" }], "authorizers[0].name: Required value"],
  [[{ type: "RBAC", name: 7 }], "authorizers[0].name: must be a string"],
  [
    [{ type: "RBAC", name: "mine" }],
    'authorizers[0].name: Invalid value: "mine": expected name rbac for authorizer RBAC',
  ],
  [
    [{ ...hook(), name: "A.b" }],
    "authorizers[0].name: Invalid value: \"A.b\": authorizer name is invalid: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ],
  [
    [{ ...hook(), name: "a".repeat(64) }],
    `authorizers[0].name: Invalid value: "${"a".repeat(64)}": authorizer name is invalid: must be no more than 63 characters`,
  ],
  [
    [{ type: "RBAC", name: "rbac", webhook: {} }],
    'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
  ],
  [[{ type: "Webhook", name: "a" }], "authorizers[0].webhook: Required value: required when type=Webhook"],
  [[{ type: "Webhook", name: "a", webhook: [] }], "authorizers[0].webhook: must be an object"],
  [
    [{ type: "Webhook", name: "a", webhook: {} }],
    "authorizers[0].webhook.timeout: Required value",
    "authorizers[0].webhook.subjectAccessReviewVersion: Required value",
    "authorizers[0].webhook.failurePolicy: Required value",
    "authorizers[0].webhook.connectionInfo.type: Required value",
  ],
  [[hook({ timeout: "0s" })], "authorizers[0].webhook.timeout: Required value"],
  [[hook({ timeout: "-1s" })], 'authorizers[0].webhook.timeout: Invalid value: "-1s": must be > 0s and <= 30s'],
  [[hook({ timeout: "30.001s" })], 'authorizers[0].webhook.timeout: Invalid value: "30.001s": must be > 0s and <= 30s'],
  [[hook({ timeout: 3 })], 'authorizers[0].webhook.timeout: must be a duration: "5m"'],
  [[hook({ timeout: "3" })], 'authorizers[0].webhook.timeout: Invalid value: "3": must be a duration: "5m"'],
  [[hook({ authorizedTTL: "-5m" })], 'authorizers[0].webhook.authorizedTTL: Invalid value: "-5m": must be > 0s'],
  [[hook({ unauthorizedTTL: "-1s" })], 'authorizers[0].webhook.unauthorizedTTL: Invalid value: "-1s": must be > 0s'],
  [
    [hook({ subjectAccessReviewVersion: "v2" })],
    'authorizers[0].webhook.subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
  ],
  [
    [hook({ matchConditionSubjectAccessReviewVersion: "v1beta1" })],
    'authorizers[0].webhook.matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"',
  ],
  [
    [hook({ failurePolicy: "Allow" })],
    'authorizers[0].webhook.failurePolicy: Unsupported value: "Allow": supported values: "Deny", "NoOpinion"',
  ],
  [
    [hook({ connectionInfo: { type: "Http" } })],
    'authorizers[0].webhook.connectionInfo.type: Unsupported value: "Http": supported values: "InClusterConfig", "KubeConfigFile"',
  ],
  [
    [hook({ connectionInfo: { type: "KubeConfigFile" } })],
    "authorizers[0].webhook.connectionInfo.kubeConfigFile: Required value",
  ],
  [
    [hook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "authz.conf" } })],
    'authorizers[0].webhook.connectionInfo.kubeConfigFile: Invalid value: "authz.conf": must be an absolute path',
  ],
  [
    [hook({ connectionInfo: { type: "InClusterConfig", kubeConfigFile: "/a" } })],
    'authorizers[0].webhook.connectionInfo.kubeConfigFile: Invalid value: "/a": can only be set when type=KubeConfigFile',
  ],
  [
    [hook({ matchConditions: [{ expression: "true" }] })],
    "authorizers[0].webhook.matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified",
  ],
  [
    [
      hook({
        matchConditionSubjectAccessReviewVersion: "v1",
        matchConditions: [
          { expression: " " },
          { expression: "true" },
          { expression: "true" },
          { condition: "x" },
          { expression: "request.foo" },
          { expression: "1" },
        ],
      }),
    ],
    `unknown field "${expressions}[3].condition"`,
    `${expressions}[0].expression: Required value`,
    `${expressions}[2].expression: Duplicate value: "true"`,
    `${expressions}[3].expression: Required value`,
    `${expressions}[4].expression: Invalid value: "request.foo": compilation failed: ERROR: <input>:1:8: undefined field 'foo'\n | request.foo\n | .......^`,
    `${expressions}[5].expression: Invalid value: "1": must evaluate to bool but got int`,
  ],
  [
    [
      hook({
        matchConditionSubjectAccessReviewVersion: "v1",
        matchConditions: Array.from({ length: 65 }, (_, i) => ({ expression: `${i}` })),
      }),
    ],
    `${expressions}: Too many: 65: must have at most 64 items`,
  ],
  [
    [hook({ authorisedTTL: "1s" }), { type: "RBAC", name: "rbac", extra: 1 }],
    'unknown field "authorizers[1].extra"',
    'unknown field "authorizers[0].webhook.authorisedTTL"',
  ],
];

for (const [authorizers, ...problems] of rows) {
  test(`refused: ${problems.join("; ").slice(0, 120)}`, async () => {
    assert.deepEqual(await parse(authorizers), { ok: false, problems });
  });
}

test("a file of another kind or version is refused", async () => {
  const problem = async (tree: unknown) => {
    const parsed = await parseAuthorizationConfiguration(tree, naming);
    return parsed.ok ? "none" : parsed.problems.join("; ");
  };
  const missing = "apiVersion: Required value; kind: Required value";
  assert.equal(await problem(null), missing);
  assert.equal(await problem([]), `the file: must be an object; ${missing}`);
  assert.equal(await problem({}), missing);
  assert.equal(await problem({ kind: "AuthorizationConfiguration" }), "apiVersion: Required value");
  assert.equal(
    await problem({ ...head, kind: "Authorization" }),
    'kind: Unsupported value: "Authorization": supported values: "AuthorizationConfiguration"',
  );
  assert.match(await problem({ ...head, apiVersion: "apiserver.config.k8s.io/v1" }), /^apiVersion: Unsupported value/);
  assert.equal(await problem({ ...head, apiVersion: 1 }), "apiVersion: must be a string");
  assert.equal(
    await problem({ ...head, authorizers: [{ type: "RBAC", name: "rbac" }], modes: [] }),
    'unknown field "modes"',
  );
});

test("a changed file keeps the authorizers that are no webhooks, in any order", async () => {
  const chain = async (...authorizers: unknown[]) => {
    const parsed = await parse(authorizers);
    assert.ok(parsed.ok);
    return parsed.value;
  };
  const rbac = { type: "RBAC", name: "rbac" };
  const node = { type: "Node", name: "node" };
  assert.equal(reloadProblem(await chain(rbac, node), await chain(node, hook(), rbac)), undefined);
  assert.equal(
    reloadProblem(await chain(rbac, node, hook()), await chain(hook())),
    "missing required types: [Node RBAC]",
  );
  assert.equal(
    reloadProblem(await chain(rbac), await chain(rbac, node)),
    "authorizer type Node is not allowed if it was not enabled at initial server startup",
  );
});

test("no tree makes it throw, and none without a good webhook is accepted with one", async () => {
  const authorizer = fc.record(
    {
      type: fc.oneof(fc.constantFrom("Webhook", "RBAC"), fc.jsonValue()),
      name: fc.jsonValue(),
      webhook: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.array(fc.oneof(authorizer, fc.jsonValue())), fc.jsonValue()), async (authorizers) => {
      const parsed = await parse(authorizers);
      assert.ok(!parsed.ok || parsed.value.authorizers.every(({ type }) => type !== "Webhook"));
      assert.ok(parsed.ok || parsed.problems.length > 0);
    }),
    { numRuns: 500 },
  );
});
