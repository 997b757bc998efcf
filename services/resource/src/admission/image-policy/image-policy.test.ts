import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createAsk } from "./ask.js";
import { type ImagePolicyConfiguration, parseImagePolicyConfiguration } from "./configuration.js";
import { readStatus, reviewBody, reviewOf } from "./review.js";

const naming = createNaming("kubernetes");
const pod = {
  metadata: { annotations: { "x.image-policy.k8s.io/a": "b", "image-policy.k8s.io/c": "d", other: "e" } },
  spec: {
    containers: [{ image: "a" }, { image: "b" }],
    initContainers: [{ image: "c" }],
    ephemeralContainers: [{ image: "d" }],
  },
};

test("the backend is asked about the images of containers, then init containers; of debugging ones alone", () => {
  const annotations = { "x.image-policy.k8s.io/a": "b" };
  const whole = reviewOf(pod, { subresource: "", namespace: "ns" }, naming);
  const images = (...names: string[]) => names.map((image) => ({ image }));
  assert.deepEqual(whole, { containers: images("a", "b", "c"), annotations, namespace: "ns" });
  const debug = reviewOf(pod, { subresource: "ephemeralcontainers", namespace: "ns" }, naming);
  assert.deepEqual(debug.containers, images("d"));
  const { kind, apiVersion, spec } = JSON.parse(reviewBody(whole, naming).toString());
  assert.deepEqual([kind, apiVersion, spec], ["ImageReview", "imagepolicy.k8s.io/v1alpha1", whole]);
});

const answer = (status: object): Buffer => Buffer.from(JSON.stringify({ status }));

test("an answer that is no review is none", () => {
  assert.deepEqual(readStatus(answer({})), { allowed: false, reason: "", auditAnnotations: {} });
  for (const wrong of ["", "[]", "1", '{"status": 1}', '{"status": {"allowed": "yes"}}', '{"status": {"reason": 1}}']) {
    assert.throws(() => readStatus(Buffer.from(wrong)), wrong);
  }
});

const usual: ImagePolicyConfiguration = {
  ...{ kubeConfigFile: "/f", allowTtlMs: 100, denyTtlMs: 0, retryBackoffMs: 10, defaultAllow: false },
};

function backend(answers: readonly (Buffer | Error)[]) {
  const pauses: number[] = [];
  const left = [...answers];
  let [time, calls] = [0, 0];
  const later = (ms: number): void => {
    time += ms;
  };
  const ask = createAsk(usual, {
    naming,
    call: async () => {
      calls++;
      const next = left.shift() ?? new Error("nothing left");
      if (next instanceof Error) throw next;
      return next;
    },
    isPassing: (error) => error instanceof Error && error.message === "passing",
    pause: async (ms) => void pauses.push(ms),
    now: () => time,
  });
  return { ask, pauses, calls: () => calls, later };
}

const asked = { containers: [{ image: "a" }], namespace: "ns" };
const passing = new Error("passing");

test("an answer is remembered for a while, one that allows for another one than one that does not", async () => {
  const allowed = answer({ allowed: true });
  const { ask, calls, later } = backend([allowed, allowed, answer({ allowed: false }), answer({ allowed: false })]);
  for (const _ of [1, 2]) assert.equal((await ask(asked)).allowed, true);
  assert.equal(calls(), 1);
  later(100);
  await ask(asked);
  assert.equal(calls(), 2);
  for (const _ of [1, 2]) await ask({ ...asked, namespace: "other" });
  assert.equal(calls(), 4);
});

test("what may be over is tried again, later and later, five times in all", async () => {
  const once = backend([passing, answer({ allowed: true })]);
  assert.equal((await once.ask(asked)).allowed, true);
  const never = backend([passing, passing, passing, passing, passing, answer({})]);
  await assert.rejects(never.ask(asked), passing);
  assert.deepEqual([never.calls(), never.pauses], [5, [10, 15, 22.5, 33.75]]);
  const wrong = backend([new Error("400"), answer({})]);
  await assert.rejects(wrong.ask(asked), /400/);
  assert.equal(wrong.calls(), 1);
});

const file = (imagePolicy: object) => ({ imagePolicy: { kubeConfigFile: "/f", ...imagePolicy } });
const rows: readonly (readonly [file: unknown, read: Partial<ImagePolicyConfiguration> | string])[] = [
  [undefined, "no config specified"],
  [file({}), { allowTtlMs: 300_000, denyTtlMs: 30_000, retryBackoffMs: 500, defaultAllow: false }],
  [file({ allowTTL: -1, denyTTL: 1800, retryBackoff: -1, defaultAllow: true }), { allowTtlMs: 0, retryBackoffMs: 0 }],
  [file({ allowTTL: 3600 }), "imagePolicy.allowTTL: valid value is between 1s and 30m0s, got 1h0m0s"],
  [file({ denyTTL: -5 }), "imagePolicy.denyTTL: valid value is between 1s and 30m0s, got -5s"],
  [file({ retryBackoff: 300_001 }), "imagePolicy.retryBackoff: valid value is between 1ns and 5m0s, got 5m0.001s"],
  [{ imagePolicy: {} }, "imagePolicy.kubeConfigFile: Required value"],
];
for (const [given, expected] of rows) {
  test(`configuration ${JSON.stringify(given)}`, () => {
    const read = parseImagePolicyConfiguration(given);
    if (typeof expected === "string") assert.deepEqual(read, { ok: false, problems: [expected] });
    else assert.deepEqual(read.ok && { ...read.value, ...expected }, read.ok && read.value);
  });
}
