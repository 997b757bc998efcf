import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision, PolicyOutcome } from "@orch/cel/admission/validate.js";
import { type Checked, noPolicyMetrics } from "./metrics.js";
import { openVerdict } from "./verdict.js";

const denied = (message: string): Decision => ({ action: "deny", evaluation: "deny", message });
const outcomeOf = (...decisions: readonly Decision[]): PolicyOutcome => ({ decisions, annotations: [], cost: 0 });
const published = (value: string): PolicyOutcome => ({
  ...{ decisions: [], cost: 0 },
  annotations: [
    { key: "n", action: "publish", value },
    { key: "none", action: "exclude" },
  ],
});
const policy = { name: "p", failsOpen: false };

function verdict() {
  const checks: Checked[] = [];
  const opened = openVerdict({
    failureKey: "failure",
    metrics: { ...noPolicyMetrics, checked: (check) => void checks.push(check) },
  });
  const took = (outcome: PolicyOutcome, name: string, actions: readonly string[]): void =>
    opened.took(outcome, { policy, binding: { name, actions } }, 0.001);
  const notes = (): Readonly<Record<string, string>> => {
    opened.publish(policy);
    // No denial names the question.
    const { auditAnnotations = [] } = opened.advice(Object.freeze(Object.create(null)));
    return Object.fromEntries(auditAnnotations.map(({ key, value }) => [key, value]));
  };
  return { took, notes, checks };
}

test("the first failed validation whose binding says Audit is noted, with where it stands", () => {
  const { took, notes, checks } = verdict();
  took(outcomeOf({ action: "admit", evaluation: "admit" }, denied("m"), denied("later")), "b", ["Audit", "Warn"]);
  took(outcomeOf(denied("other")), "b2", ["Audit"]);
  const failure = { message: "m", policy: "p", binding: "b", expressionIndex: 1, validationActions: ["Audit", "Warn"] };
  assert.deepEqual(notes(), { failure: JSON.stringify([failure]) });
  assert.deepEqual(
    checks.map(({ action, binding, message }) => `${action} ${binding} ${message}`),
    ["audit b m", "warn b m", "audit b later", "warn b later", "audit b2 other"],
  );
});

test("annotations of bindings and parameters stand together, each value once", () => {
  const { took, notes } = verdict();
  for (const value of ["1", "2", "1"]) took(published(value), "b", ["Deny"]);
  took(published("2"), "b2", ["Deny"]);
  assert.deepEqual(notes(), { "p/n": "1, 2" });
});

test("an annotation is cut at 10 KiB", () => {
  const { took, notes } = verdict();
  took(published("x".repeat(20_000)), "b", ["Deny"]);
  assert.equal(notes()["p/n"]?.length, 10 * 1024);
});

test("an error that is let through is counted as allowed", () => {
  const { took, checks } = verdict();
  took(outcomeOf({ action: "admit", evaluation: "error", message: "compilation error: x" }), "b", ["Deny"]);
  assert.deepEqual(checks, [{ policy: "p", binding: "b", action: "allow", message: "compilation error: x" }]);
});
