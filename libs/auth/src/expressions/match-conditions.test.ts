import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { type FailurePolicy, parseAuthorizationConfiguration } from "../authorization-config/authorization-config.js";
import type { Attributes, Decision } from "../authorizer.js";
import { resourceAttributes, user } from "../testing/attributes.js";
import { webhookAuthorizer } from "../webhook/authorizer.js";
import { localCache } from "../webhook/decision-cache.js";
import { fakeWebhook } from "../webhook/testing/fake-webhook.js";

const naming = createNaming("kubernetes");

async function parsed(conditions: readonly string[], failurePolicy: FailurePolicy = "Deny") {
  return await parseAuthorizationConfiguration(
    {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthorizationConfiguration",
      authorizers: [
        {
          type: "Webhook",
          name: "w",
          webhook: {
            timeout: "3s",
            subjectAccessReviewVersion: "v1",
            matchConditionSubjectAccessReviewVersion: "v1",
            failurePolicy,
            connectionInfo: { type: "InClusterConfig" },
            matchConditions: conditions.map((expression) => ({ expression })),
          },
        },
      ],
    },
    naming,
  );
}

/** What comes of a request to a webhook that allows all it is asked, and what was told. */
async function decided(
  conditions: readonly string[],
  attributes: Attributes,
  failurePolicy: FailurePolicy = "Deny",
): Promise<{ readonly decision: Decision; readonly told: readonly string[]; readonly questions: number }> {
  const file = await parsed(conditions, failurePolicy);
  assert.ok(file.ok, JSON.stringify(file));
  const [entry] = file.value.authorizers;
  assert.ok(entry?.type === "Webhook");
  const answer = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", status: { allowed: true } };
  const webhook = fakeWebhook(answer);
  const authorizer = webhookAuthorizer({
    name: entry.name,
    config: entry.webhook,
    post: webhook.post,
    cache: localCache({ max: 10, now: () => 0 }),
    clock: { monotonic: () => 0, after: () => () => {} },
    random: () => 0,
    observer: webhook.observer,
    naming,
  });
  const decision = await authorizer.authorize(attributes);
  return { decision, told: webhook.told, questions: webhook.questions.length };
}

const bob = user("bob", "dev");
const pods = resourceAttributes({ user: bob, verb: "list" });
const healthz: Attributes = { kind: "path", user: bob, verb: "get", path: "/healthz" };

const rows: readonly (readonly [readonly string[], Attributes, "asked" | "excluded" | "failed"])[] = [
  [["has(request.resourceAttributes)"], pods, "asked"],
  [["has(request.resourceAttributes)"], healthz, "excluded"],
  [["!has(request.nonResourceAttributes) || request.nonResourceAttributes.path != '/healthz'"], healthz, "excluded"],
  [["request.user == 'bob'", "'dev' in request.groups", "request.uid == ''", "request.extra == {}"], pods, "asked"],
  [["request.resourceAttributes.resource == 'pods' && request.resourceAttributes.group == ''"], pods, "asked"],
  [["request.resourceAttributes.namespace == 'kube-system'"], pods, "excluded"],
  [["request.resourceAttributes.verb == 'list'"], healthz, "failed"],
  [["request.resourceAttributes.verb == 'list'", "request.user != 'bob'"], healthz, "excluded"],
  [["1 / 0 == 1"], pods, "failed"],
  [["!has(request.resourceAttributes.fieldSelector) && !has(request.resourceAttributes.labelSelector)"], pods, "asked"],
  [
    [
      "request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'spec.nodeName' && r.operator == 'In' && r.values == ['n1'])",
      "request.resourceAttributes.labelSelector.requirements.exists(r, r.key == 'a' && r.operator == 'Exists')",
    ],
    { ...pods, fieldSelector: "spec.nodeName=n1", labelSelector: "a,b in (c)" },
    "asked",
  ],
];

for (const [conditions, attributes, expected] of rows) {
  test(`${conditions.join(" and ")}: ${expected}`, async () => {
    const { decision, told, questions } = await decided(conditions, attributes);
    assert.equal(questions, expected === "asked" ? 1 : 0);
    assert.equal(told[0], `conditions ${expected === "asked" ? "matches" : expected}`);
    assert.equal(decision.outcome, { asked: "allow", excluded: "noOpinion", failed: "deny" }[expected]);
  });
}

test("where conditions fail the failure policy decides, and the log has why", async () => {
  const failing = ["1 / 0 == 1", "request.extra['x'] == []"];
  const denied = await decided(failing, pods);
  assert.equal(denied.decision.reason, 'authorization webhook "w" has match conditions that failed');
  assert.deepEqual(denied.told, [
    "conditions failed",
    "problem cel evaluation error: expression '1 / 0 == 1' resulted in error: division by zero",
    "problem cel evaluation error: expression 'request.extra[\"x\"] == []' resulted in error: no such key: x".replaceAll(
      '"',
      "'",
    ),
  ]);
  assert.equal((await decided(failing, pods, "NoOpinion")).decision.outcome, "noOpinion");
});

test("conditions that cost too much together fail", async () => {
  const groups = Array.from({ length: 200 }, (_, i) => `g${i}`);
  const heavy = (i: number): string =>
    `request.groups.all(a, request.groups.all(b, a + b + "${i}" != "x${i}" && a != "y" && b != "z"))`;
  const { told } = await decided([0, 1, 2, 3, 4, 5, 6].map(heavy), { ...pods, user: user("bob", ...groups) });
  assert.deepEqual(told, [
    "conditions failed",
    "problem cel evaluation error: validation failed due to running out of cost budget, no further validation rules will be run",
  ]);
});

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly authz: { readonly conditions: readonly string[] };
  readonly want: { readonly create_errors?: readonly string[] };
}

test("files are refused with the reference's errors at the place of the expression", async () => {
  const lines = readFileSync(new URL("../../../cel/testdata/cases.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const refused = lines
    .map((line): Row => JSON.parse(line))
    .filter(({ kind, want }) => kind === "authz" && want.create_errors !== undefined);
  assert.ok(refused.length > 0);
  for (const { id, authz, want } of refused) {
    const file = await parsed(authz.conditions);
    const at = "authorizers[0].webhook.";
    assert.deepEqual(
      file.ok ? [] : file.problems,
      want.create_errors?.map((error) => at + error),
      id,
    );
  }
});
