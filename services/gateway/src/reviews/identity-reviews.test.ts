import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "@orch/auth/authenticator.js";
import { unavailable } from "@orch/status/api-error.js";
import { bob, paths, post, shownBob, start, statusOf } from "../testing/reviews.js";

const { tokens, self } = paths;

// TokenReview.

interface TokenRow {
  readonly spec?: object;
  readonly apiAudiences?: readonly string[];
  readonly verdict: Verdict;
  /** Whom the authenticator was asked about. */
  readonly asked?: readonly string[];
  readonly status: object;
}

const wrong = { error: "invalid bearer token", user: {} };
const tokenRows: Readonly<Record<string, TokenRow>> = {
  "of somebody": {
    verdict: { outcome: "allow", user: bob, audiences: ["api"] },
    apiAudiences: ["api"],
    asked: ["api"],
    status: { authenticated: true, user: shownBob, audiences: ["api"] },
  },
  "for others": {
    spec: { audiences: ["a", "b"] },
    verdict: { outcome: "allow", user: bob, audiences: ["b"] },
    apiAudiences: ["api"],
    asked: ["a", "b"],
    status: { authenticated: true, user: shownBob, audiences: ["b"] },
  },
  "where nobody speaks of audiences": {
    verdict: { outcome: "allow", user: { ...bob, uid: "", groups: [], extra: {} } },
    asked: [],
    status: { authenticated: true, user: { username: "bob" } },
  },
  "that nobody knows": { verdict: { outcome: "none" }, status: wrong },
  "that is wrong, and why it is": { verdict: { outcome: "deny", why: "signed by key 17 of db-3" }, status: wrong },
  "with a status of its own": { spec: { token: "u" }, verdict: { outcome: "none" }, status: wrong },
};
for (const [what, { spec, apiAudiences = [], verdict, asked, status }] of Object.entries(tokenRows)) {
  test(`a token ${what}`, async () => {
    const seen: unknown[] = [];
    const authenticateToken = (token: string, audiences: readonly string[]): Verdict => {
      seen.push(token, audiences);
      return verdict;
    };
    const gateway = start({ reviews: { apiAudiences, tokens: { authenticateToken } } });
    const given = { authenticated: true, user: { username: "root" }, error: "x", audiences: ["x"] };
    const { code, body } = await post(gateway, tokens, { spec: { token: " t ", ...spec }, status: given });
    assert.deepEqual([code, body["status"]], [201, status]);
    assert.deepEqual(body["spec"], { token: " t ", ...spec });
    if (asked !== undefined) assert.deepEqual(seen, ["t", asked]);
  });
}

test("a token of spaces is nobody's, and nobody is asked", async () => {
  const authenticateToken = (): Verdict => assert.fail("asked");
  assert.deepEqual(
    await statusOf(start({ reviews: { tokens: { authenticateToken } } }), tokens, { spec: { token: "  " } }),
    wrong,
  );
});

test("a token that is let through for others than those who were asked about is a fault of ours", async () => {
  const authenticateToken = (): Verdict => ({ outcome: "allow", user: bob, audiences: ["c"] });
  const { code, body } = await post(start({ reviews: { tokens: { authenticateToken } } }), tokens, {
    spec: { token: "t", audiences: ["a"] },
  });
  assert.deepEqual([code, body["message"]], [500, "Internal error occurred: error validating audiences"]);
});

test("a token that nobody can look at now is not authenticated; a fault is told to the log alone", async () => {
  const fault = "an unexpected error occurred; the server's log has it under this request's id";
  for (const [thrown, why, faults] of [
    [unavailable("no issuer answers"), "no issuer answers", 0],
    [new TypeError("s3cret"), fault, 1],
  ] as const) {
    const gateway = start({ reviews: { tokens: { authenticateToken: () => Promise.reject(thrown) } } });
    const status = await statusOf(gateway, tokens, { spec: { token: "t" } });
    assert.deepEqual(status, { error: `[invalid bearer token, ${why}]`, user: {} });
    assert.equal(gateway.faults.length, faults);
  }
});

// SelfSubjectReview.

test("a SelfSubjectReview tells whoever asks, and when", async () => {
  const { body } = await post(start(), self, { metadata: { name: "x" }, status: { userInfo: { username: "root" } } });
  assert.deepEqual(body["metadata"], { creationTimestamp: "2025-01-02T03:04:05Z" });
  assert.deepEqual(body["status"], { userInfo: shownBob });
});
