import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { toldSpan } from "@orch/status/testing/told-span.js";
import fc from "fast-check";
import type { WebhookConfiguration } from "../authorization-config/authorization-config.js";
import type { Attributes, Decision } from "../authorizer.js";
import { resourceAttributes, user } from "../testing/attributes.js";
import type { UserInfo } from "../user.js";
import { type ReviewStatus, readReviewStatus } from "./access-review.js";
import { WebhookError } from "./ask.js";
import { webhookAuthorizer } from "./authorizer.js";
import { type DecisionCache, localCache } from "./decision-cache.js";
import { type FakeAnswer, fakeWebhook } from "./testing/fake-webhook.js";

const jane: UserInfo = { name: "jane", uid: "7", groups: ["a", "b"], extra: { z: ["2"], scopes: ["x", "y"] } };
const nobody = user("nobody");
const status = (fields: object) => ({
  apiVersion: "authorization.orch/v1",
  kind: "SubjectAccessReview",
  status: fields,
});

const pods = resourceAttributes({ user: jane, verb: "list" });

interface Setup extends Partial<Omit<WebhookConfiguration, "connection">> {
  readonly answers: readonly FakeAnswer[];
  readonly dialect?: Dialect;
  readonly cache?: DecisionCache<ReviewStatus>;
}

function setUp({ answers, dialect = "orch", cache, ...config }: Setup) {
  const clock = createManualClock();
  const webhook = fakeWebhook(...answers);
  const authorizer = webhookAuthorizer({
    name: "w",
    config: {
      authorizedTtlMs: 5000,
      unauthorizedTtlMs: 1000,
      timeoutMs: 3000,
      reviewVersion: "v1",
      failurePolicy: "Deny",
      ...config,
    },
    post: webhook.post,
    cache: cache ?? localCache({ max: 10, now: () => clock.monotonic() }),
    clock,
    random: () => 0.5,
    observer: webhook.observer,
    naming: createNaming(dialect),
  });
  const decide = async (attributes: Attributes = pods): Promise<Decision> => await authorizer.authorize(attributes);
  return { ...webhook, authorizer, clock, decide };
}

test("a question is part of what its first asker does; what is remembered asks nobody", async () => {
  const { spans, authorizer } = setUp({ answers: [status({ allowed: true })] });
  const span = toldSpan();
  await Promise.all([authorizer.authorize(pods, span), authorizer.authorize(pods, toldSpan("other"))]);
  await authorizer.authorize(pods, toldSpan("later"));
  assert.deepEqual(spans, [span]);
});

test("a question of a resource is sent as the interface has it", async () => {
  const { questions, decide } = setUp({ answers: [status({ allowed: true })] });
  await decide({
    ...pods,
    subresource: "status",
    name: "p",
    fieldSelector: "spec.nodeName=n1,status.phase!=Failed",
    labelSelector: "app in (a,b),tier!=web,x,!y,rank>3",
  });
  assert.deepEqual(questions, [
    {
      apiVersion: "authorization.orch/v1",
      kind: "SubjectAccessReview",
      spec: {
        resourceAttributes: {
          namespace: "n",
          verb: "list",
          version: "v1",
          resource: "pods",
          subresource: "status",
          name: "p",
          fieldSelector: {
            requirements: [
              { key: "spec.nodeName", operator: "In", values: ["n1"] },
              { key: "status.phase", operator: "NotIn", values: ["Failed"] },
            ],
          },
          labelSelector: {
            requirements: [
              { key: "app", operator: "In", values: ["a", "b"] },
              { key: "tier", operator: "NotIn", values: ["web"] },
              { key: "x", operator: "Exists" },
              { key: "y", operator: "DoesNotExist" },
            ],
          },
        },
        user: "jane",
        groups: ["a", "b"],
        extra: { scopes: ["x", "y"], z: ["2"] },
        uid: "7",
      },
    },
  ]);
});

test("a question of a path, in the old version and the other dialect; what is empty is not sent", async () => {
  const answer = { apiVersion: "authorization.k8s.io/v1beta1", kind: "SubjectAccessReview", status: { allowed: true } };
  const { questions, decide } = setUp({ answers: [answer], dialect: "kubernetes", reviewVersion: "v1beta1" });
  assert.deepEqual(await decide({ kind: "path", user: nobody, verb: "get", path: "/metrics" }), {
    outcome: "allow",
    reason: "",
  });
  await decide({ kind: "path", user: { ...nobody, groups: ["g"] }, verb: "get", path: "/x" });
  assert.deepEqual(questions, [
    {
      apiVersion: "authorization.k8s.io/v1beta1",
      kind: "SubjectAccessReview",
      spec: { nonResourceAttributes: { path: "/metrics", verb: "get" }, user: "nobody" },
    },
    {
      apiVersion: "authorization.k8s.io/v1beta1",
      kind: "SubjectAccessReview",
      spec: { nonResourceAttributes: { path: "/x", verb: "get" }, user: "nobody", group: ["g"] },
    },
  ]);
});

test("selectors that cannot be read, and number comparisons alone, ask for all", async () => {
  const { questions, decide } = setUp({ answers: [status({ allowed: true })] });
  await decide({ ...pods, fieldSelector: "spec.nodeName", labelSelector: "!!" });
  await decide({ ...pods, labelSelector: "rank>3" });
  assert.equal(questions.length, 1);
  assert.doesNotMatch(JSON.stringify(questions), /Selector/);
});

const answers: readonly (readonly [FakeAnswer, Decision, ...string[]])[] = [
  [status({ allowed: true, reason: "ok" }), { outcome: "allow", reason: "ok" }, "asked success"],
  [{ status: { allowed: true } }, { outcome: "allow", reason: "" }, "asked success"],
  [status({ allowed: false, reason: "no role" }), { outcome: "noOpinion", reason: "no role" }, "asked success"],
  [status({}), { outcome: "noOpinion", reason: "" }, "asked success"],
  [status({ allowed: null, denied: true, reason: "policy" }), { outcome: "deny", reason: "policy" }, "asked success"],
  [
    status({ allowed: true, denied: true, reason: "both" }),
    { outcome: "deny", reason: "both" },
    "asked success",
    "problem the answer both allows and denies; it denies",
  ],
  [
    status({ allowed: false, evaluationError: "no backend" }),
    { outcome: "noOpinion", reason: "" },
    "asked success",
    "problem evaluation error: no backend",
  ],
];

for (const [answer, decision, ...told] of answers) {
  test(`the answer ${JSON.stringify(answer)} is ${decision.outcome}, whatever the failure policy`, async () => {
    for (const failurePolicy of ["Deny", "NoOpinion"] as const) {
      const webhook = setUp({ answers: [answer], failurePolicy });
      assert.deepEqual(await webhook.decide(), decision);
      assert.deepEqual(webhook.told, told);
    }
  });
}

const failure = (reason: "timeout" | "connection" | "status" | "answer", retry = false) =>
  new WebhookError(`it failed: ${reason}`, { reason, retry });

const outages: readonly (readonly [FakeAnswer, result: string, why: string])[] = [
  [null, "error", "the answer is not understood: it is no object"],
  ["allowed", "error", "the answer is not understood: it is no object"],
  [{ allowed: true }, "error", "the answer is not understood: it has no status"],
  [{ status: [] }, "error", "the answer is not understood: it has no status"],
  [status({ allowed: "true" }), "error", "the answer is not understood: allowed is no boolean"],
  [status({ allowed: 1 }), "error", "the answer is not understood: allowed is no boolean"],
  [status({ allowed: true, denied: "no" }), "error", "the answer is not understood: denied is no boolean"],
  [status({ allowed: true, reason: {} }), "error", "the answer is not understood: reason is no text"],
  [
    { ...status({ allowed: true }), kind: "TokenReview" },
    "error",
    "the answer is not understood: it is no SubjectAccessReview of authorization.orch/v1",
  ],
  [
    { ...status({ allowed: true }), apiVersion: "authorization.orch/v1beta1" },
    "error",
    "the answer is not understood: it is no SubjectAccessReview of authorization.orch/v1",
  ],
  [failure("connection"), "error", "it failed: connection"],
  [failure("status"), "error", "it failed: status"],
  [failure("timeout"), "timeout", "it failed: timeout"],
  [new TypeError("a fault of ours"), "error", "asking failed for an unknown reason"],
  ["never", "timeout", "there was no answer in time"],
];

for (const [answer, result, why] of outages) {
  test(`no answer (${answer instanceof Error ? answer.message : JSON.stringify(answer)}): the failure policy decides, and nothing is kept`, async () => {
    for (const [failurePolicy, outcome] of [
      ["Deny", "deny"],
      ["NoOpinion", "noOpinion"],
    ] as const) {
      const webhook = setUp({ answers: [answer, status({ allowed: true })], failurePolicy });
      const decision = webhook.decide();
      await webhook.clock.pass(3000);
      assert.deepEqual(await decision, { outcome, reason: 'authorization webhook "w" gave no answer', failed: true });
      const open = outcome === "deny" ? [] : [`open ${result}`];
      assert.deepEqual(webhook.told, [`asked ${result}`, `problem ${why}`, ...open]);
      assert.equal((await webhook.decide()).outcome, "allow");
    }
  });
}

test("what may pass is asked again within the time, later each time, five times at most", async () => {
  const { decide, clock, questions, told } = setUp({ answers: [failure("status", true)], timeoutMs: 30_000 });
  const decision = decide();
  const seen: number[] = [];
  for (let ms = 0; ms < 6000; ms += 50) {
    await clock.pass(50);
    if (questions.length > seen.length) seen.push(ms);
  }
  assert.equal((await decision).outcome, "deny");
  // 500 ms and a tenth, then half as much again each time: 550, 1375, 2612, 4469
  assert.deepEqual(seen, [0, 500, 1350, 2600, 4450]);
  assert.deepEqual(told, [...Array(5).fill("asked error"), "problem it failed: status"]);
});

test("it is not asked again where the time is over before, and with a remaining time that shrinks", async () => {
  const late = new WebhookError("busy", { reason: "status", retry: true, retryAfterMs: 2000 });
  const short = setUp({ answers: [late, status({ allowed: true })], timeoutMs: 1900 });
  assert.equal((await short.decide()).outcome, "deny");
  assert.equal(short.questions.length, 1);

  const times: number[] = [];
  const long = setUp({ answers: [late, status({ allowed: true })], timeoutMs: 2500 });
  const authorizer = webhookAuthorizer({
    name: "w",
    config: { authorizedTtlMs: 0, unauthorizedTtlMs: 0, timeoutMs: 2500, reviewVersion: "v1", failurePolicy: "Deny" },
    post: (body, options) => {
      times.push(options.timeoutMs);
      return long.post(body, options);
    },
    cache: localCache({ max: 1, now: () => 0 }),
    clock: long.clock,
    random: () => 0,
    observer: long.observer,
    naming: createNaming("orch"),
  });
  const decision = authorizer.authorize(pods);
  await long.clock.pass(2000);
  assert.equal((await decision).outcome, "allow");
  assert.deepEqual(times, [2500, 500]);
});

test("an answer is kept for the time of its sort, and then known at once", async () => {
  const { authorizer, decide, clock, questions } = setUp({
    answers: [status({ allowed: true }), status({ allowed: false }), status({ allowed: true })],
  });
  assert.equal((await decide()).outcome, "allow");
  assert.deepEqual(authorizer.authorize(pods), { outcome: "allow", reason: "" });
  await clock.pass(4999);
  assert.deepEqual(authorizer.authorize(pods), { outcome: "allow", reason: "" });
  await clock.pass(1);
  assert.equal((await decide()).outcome, "noOpinion");
  await clock.pass(999);
  assert.deepEqual(authorizer.authorize(pods), { outcome: "noOpinion", reason: "" });
  await clock.pass(1);
  assert.equal((await decide()).outcome, "allow");
  assert.equal(questions.length, 3);
});

test("whoever asks the same at the same time shares a question, and no one else", async () => {
  const { decide, questions } = setUp({ answers: [status({ allowed: true })] });
  const reordered: UserInfo = { ...jane, extra: { scopes: ["x", "y"], z: ["2"] } };
  await Promise.all([decide(), decide(), decide({ ...pods, user: reordered })]);
  assert.equal(questions.length, 1);
  const others: readonly Attributes[] = [
    { ...pods, name: "p" },
    { ...pods, namespace: "" },
    { ...pods, subresource: "log" },
    { ...pods, verb: "watch" },
    { ...pods, group: "apps" },
    { ...pods, fieldSelector: "a=b" },
    { ...pods, labelSelector: "a=b" },
    { ...pods, user: { ...jane, name: "bob" } },
    { ...pods, user: { ...jane, uid: "8" } },
    { ...pods, user: { ...jane, groups: ["a"] } },
    { ...pods, user: { ...jane, groups: ["a,b"] } },
    { ...pods, user: { ...jane, extra: {} } },
    { kind: "path", user: jane, verb: "list", path: "pods" },
  ];
  await Promise.all(others.map(decide));
  assert.equal(questions.length, 1 + others.length);
});

test("a question of great length is answered and not kept", async () => {
  const { decide, questions } = setUp({ answers: [status({ allowed: true })] });
  const long = { ...pods, name: "x".repeat(10_000) };
  assert.equal((await decide(long)).outcome, "allow");
  assert.equal((await decide(long)).outcome, "allow");
  assert.equal(questions.length, 2);
});

test("what another process has kept is taken, later or at once; what it does not know is asked", async () => {
  for (const [kept, outcome, asked] of [
    [{ allowed: false, denied: true, reason: "there" }, "deny", 0],
    [undefined, "allow", 1],
  ] as const) {
    const cache: DecisionCache<ReviewStatus> = { get: async () => kept, set: () => {}, invalidate: () => {} };
    const { decide, questions } = setUp({ answers: [status({ allowed: true })], cache });
    assert.equal((await decide()).outcome, outcome);
    assert.equal(questions.length, asked);
  }
  assert.deepEqual(readReviewStatus({ allowed: true, denied: false, reason: "", more: 1 }), {
    allowed: true,
    denied: false,
    reason: "",
  });
  for (const bad of [undefined, null, [], {}, { allowed: true }, { allowed: 1, denied: false, reason: "" }]) {
    assert.equal(readReviewStatus(bad), undefined);
  }
});

test("no answer but one that says allowed: true allows", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (whole, inner) => {
      for (const answer of [whole, { status: inner }, { status: { allowed: inner } }]) {
        const { decide, clock } = setUp({ answers: [JSON.parse(JSON.stringify(answer))] });
        const decision = decide();
        await clock.pass(0);
        const said = typeof answer === "object" && answer !== null && "status" in answer ? answer.status : undefined;
        const allowed = typeof said === "object" && said !== null && "allowed" in said && said.allowed === true;
        if (!allowed) assert.notEqual((await decision).outcome, "allow");
      }
    }),
    { numRuns: 100 },
  );
});

test("it lists no rules and says so", async () => {
  const { authorizer } = setUp({ answers: [null] });
  assert.deepEqual(await authorizer.rulesFor(jane, "n"), {
    rules: [],
    incomplete: true,
    evaluationError: "webhook authorizer does not support user rule resolution",
  });
});
