import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { toldSpan } from "@orch/status/testing/told-span.js";
import type { Verdict } from "../authenticator.js";
import { anyToken, bearerAuthenticator } from "../token-authenticator.js";
import { WebhookError } from "./ask.js";
import { type DecisionCache, localCache } from "./decision-cache.js";
import { type FakeAnswer, fakeWebhook } from "./testing/fake-webhook.js";
import { type KnownToken, readKnownToken, webhookTokenAuthenticator } from "./token-authenticator.js";

const api = ["https://api"];
const status = (fields: object) => ({ apiVersion: "authentication.orch/v1", kind: "TokenReview", status: fields });
const bob = { username: "bob", uid: "1", groups: ["g"], extra: { scopes: ["a"] } };
const isBob = (more: object = {}) => status({ authenticated: true, user: bob, ...more });
const bobAllowed = (audiences: readonly string[]): Verdict => ({
  outcome: "allow",
  user: { name: "bob", uid: "1", groups: ["g", "system:authenticated"], extra: { scopes: ["a"] } },
  audiences,
});

interface Setup {
  readonly answers: readonly FakeAnswer[];
  readonly dialect?: Dialect;
  readonly version?: "v1" | "v1beta1";
  readonly cacheTtlMs?: number;
  readonly cache?: DecisionCache<KnownToken>;
}

function setUp({ answers, dialect = "orch", version = "v1", cacheTtlMs = 120_000, cache }: Setup) {
  const clock = createManualClock();
  const webhook = fakeWebhook(...answers);
  const authenticator = webhookTokenAuthenticator({
    version,
    apiAudiences: api,
    cacheTtlMs,
    timeoutMs: 3000,
    post: webhook.post,
    cache: cache ?? localCache({ max: 10, now: () => clock.monotonic() }),
    clock,
    random: () => 0,
    observer: webhook.observer,
    naming: createNaming(dialect),
  });
  const verdict = async (token = "t", audiences: readonly string[] = api): Promise<Verdict> =>
    await authenticator.authenticateToken(token, audiences);
  return { ...webhook, authenticator, clock, verdict };
}

test("the question about the token of a request is part of what the request's span tells", async () => {
  const { spans, authenticator } = setUp({ answers: [isBob()] });
  const span = toldSpan();
  const bearer = bearerAuthenticator(anyToken([authenticator]), api);
  const sent = { authorization: "Bearer t", certificate: undefined, headers: {} };
  assert.equal((await bearer.authenticate({ ...sent, span })).outcome, "allow");
  assert.deepEqual(spans, [span]);
});

test("a token is sent with its audiences, in each version and dialect", async () => {
  for (const [dialect, version, apiVersion] of [
    ["orch", "v1", "authentication.orch/v1"],
    ["kubernetes", "v1beta1", "authentication.k8s.io/v1beta1"],
  ] as const) {
    const { questions, verdict } = setUp({ answers: [{ ...isBob(), apiVersion }], dialect, version });
    assert.deepEqual(await verdict("secret"), bobAllowed(api));
    assert.deepEqual(await verdict("secret", []), bobAllowed([]));
    assert.deepEqual(questions, [
      { apiVersion, kind: "TokenReview", spec: { token: "secret", audiences: api } },
      { apiVersion, kind: "TokenReview", spec: { token: "secret" } },
    ]);
  }
});

const none: Verdict = { outcome: "none" };
const rows: readonly (readonly [what: string, FakeAnswer, asked: readonly string[], Verdict])[] = [
  ["audiences that it is meant for", isBob({ audiences: ["b", "c"] }), ["a", "b"], bobAllowed(["b"])],
  ["audiences that are others", isBob({ audiences: ["c"] }), ["a", "b"], none],
  ["no audiences: the server's own", isBob(), ["a", api[0] ?? ""], bobAllowed(api)],
  ["no audiences, and the server's own were not asked for", isBob(), ["a"], none],
  ["nobody", status({ authenticated: false }), api, none],
  ["nobody, in silence", status({}), api, none],
  ["nobody, although it names one", status({ authenticated: false, user: bob }), api, none],
  ["an error", status({ authenticated: false, error: "expired" }), api, { outcome: "deny", why: "expired" }],
];

for (const [what, answer, asked, expected] of rows) {
  test(`the webhook tells of ${what}`, async () => {
    assert.deepEqual(await setUp({ answers: [answer] }).verdict("t", asked), expected);
  });
}

test("an error that says the token does not bring it to the log", async () => {
  const { verdict } = setUp({ answers: [status({ authenticated: false, error: `s3cret is bad${"!".repeat(2000)}` })] });
  const refused = await verdict("s3cret");
  assert.ok(refused.outcome === "deny");
  assert.match(refused.why, /^<token> is bad!/);
  assert.ok(refused.why.length < 1100);
});

const unanswered: readonly (readonly [FakeAnswer, why: string])[] = [
  [null, "the answer is not understood: it is no object"],
  [{}, "the answer is not understood: it has no status"],
  [status({ authenticated: "yes", user: bob }), "the answer is not understood: authenticated is no boolean"],
  [status({ authenticated: true }), "the answer is not understood: it has no user"],
  [status({ authenticated: true, user: {} }), "the answer is not understood: the user has no name"],
  [
    status({ authenticated: true, user: { ...bob, username: "" } }),
    "the answer is not understood: the user has no name",
  ],
  [status({ authenticated: true, user: { ...bob, username: 1 } }), "the answer is not understood: username is no text"],
  [
    status({ authenticated: true, user: { ...bob, groups: "g" } }),
    "the answer is not understood: groups are no list of texts",
  ],
  [
    status({ authenticated: true, user: { ...bob, groups: [1] } }),
    "the answer is not understood: groups are no list of texts",
  ],
  [
    status({ authenticated: true, user: { ...bob, extra: { a: "b" } } }),
    "the answer is not understood: extra fields of the user are no lists of texts",
  ],
  [isBob({ audiences: "a" }), "the answer is not understood: audiences are no list of texts"],
  [
    { ...isBob(), kind: "SubjectAccessReview" },
    "the answer is not understood: it is no TokenReview of authentication.orch/v1",
  ],
  [
    { ...isBob(), apiVersion: "authentication.k8s.io/v1" },
    "the answer is not understood: it is no TokenReview of authentication.orch/v1",
  ],
  [new WebhookError("refused", { reason: "connection", retry: false }), "refused"],
  [new Error("t is secret"), "asking failed for an unknown reason"],
  ["never", "there was no answer in time"],
];

for (const [answer, why] of unanswered) {
  test(`no answer (${why}) is a denial that is not kept`, async () => {
    const { verdict, clock, told } = setUp({ answers: [answer, isBob()] });
    const first = verdict();
    await clock.pass(3000);
    assert.deepEqual(await first, { outcome: "deny", why: "the webhook that knows tokens gave no answer" });
    assert.ok(told.includes(`problem ${why}`), told.join("; "));
    assert.deepEqual(await verdict(), bobAllowed(api));
  });
}

test("an outage that passes is waited for within the time", async () => {
  const reset = new WebhookError("reset", { reason: "connection", retry: true });
  const { verdict, clock, told } = setUp({ answers: [reset, reset, isBob()] });
  const known = verdict();
  await clock.pass(3000);
  assert.deepEqual(await known, bobAllowed(api));
  assert.deepEqual(told, ["asked error", "asked error", "asked success"]);
});

test("who is known is kept for the time given, who is not for a moment", async () => {
  const { authenticator, verdict, clock, questions } = setUp({
    answers: [isBob(), status({ authenticated: false }), isBob()],
  });
  await verdict();
  await clock.pass(119_999);
  assert.deepEqual(authenticator.authenticateToken("t", api), bobAllowed(api));
  await clock.pass(1);
  assert.deepEqual(await verdict(), none);
  await clock.pass(9_999);
  assert.deepEqual(authenticator.authenticateToken("t", api), none);
  await clock.pass(1);
  assert.deepEqual(await verdict(), bobAllowed(api));
  assert.equal(questions.length, 3);
});

test("without a time to keep them all are asked, those of a moment once", async () => {
  const { verdict, questions } = setUp({ answers: [isBob()], cacheTtlMs: 0 });
  await Promise.all([verdict(), verdict()]);
  await verdict();
  assert.equal(questions.length, 2);
});

test("a verdict is of one token and its audiences alone", async () => {
  const { verdict, questions } = setUp({ answers: [isBob({ audiences: ["a", "b", "a,b"] })] });
  await Promise.all([verdict("t", ["a", "b"]), verdict("t", ["a,b"]), verdict("ta", ["b"]), verdict("t", ["a"])]);
  assert.equal(questions.length, 4);
});

test("many wrong tokens do not push out a right one", async () => {
  const { verdict, authenticator } = setUp({ answers: [isBob(), status({ authenticated: false })] });
  await verdict("right");
  for (let i = 0; i < 50; i++) await verdict(`wrong${i}`);
  assert.deepEqual(authenticator.authenticateToken("right", api), bobAllowed(api));
});

test("an enormous token is refused without a question", async () => {
  const { authenticator, questions } = setUp({ answers: [isBob()] });
  assert.deepEqual(authenticator.authenticateToken("x".repeat(70_000), api), {
    outcome: "deny",
    why: "a token of more than 64 KiB",
  });
  assert.equal(questions.length, 0);
});

test("a shared cache is given no token, and what it gives is looked at", async () => {
  const keys: string[] = [];
  const kept = { user: { name: "eve", uid: "", groups: [], extra: {} }, audiences: api };
  const cache: DecisionCache<KnownToken> = {
    get: async (key) => {
      keys.push(key);
      return kept;
    },
    set: () => {},
    invalidate: () => {},
  };
  const { verdict, questions } = setUp({ answers: [isBob()], cache });
  assert.deepEqual(await verdict("s3cret"), { outcome: "allow", ...kept });
  assert.equal(questions.length, 0);
  assert.doesNotMatch(keys.join(), /s3cret/);

  assert.deepEqual(readKnownToken(JSON.parse(JSON.stringify(kept))), kept);
  for (const bad of [
    undefined,
    [],
    { user: kept.user },
    { ...kept, audiences: [1] },
    { ...kept, user: { ...kept.user, name: "" } },
    { ...kept, user: { ...kept.user, groups: undefined } },
    { ...kept, user: { ...kept.user, extra: { a: "b" } } },
  ]) {
    assert.equal(readKnownToken(bad), undefined);
  }
});
