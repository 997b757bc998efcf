import assert from "node:assert/strict";
import { test } from "node:test";
import { hasHistory, limitsOf, parseRules, usualPolicy } from "./rules.js";

const apiVersion = "history.orch/v1alpha1";
const file = (rules: unknown, more: object = {}) =>
  parseRules({ apiVersion, kind: "ObjectHistoryConfiguration", rules, ...more }, apiVersion);

test("the first rule that matches decides", () => {
  const parsed = file([
    { groups: [""], resources: ["secrets"], maxStates: 0 },
    { namespaces: ["prod"], maxAge: "720h", maxStates: 500 },
    { groups: ["apps"] },
  ]);
  assert.ok(parsed.ok);
  const limits = (group: string, resource: string, namespace: string) =>
    limitsOf(parsed.value, { group, resource, namespace });
  assert.equal(limits("", "secrets", "prod"), undefined);
  assert.deepEqual(limits("", "configmaps", "prod"), { maxAgeMs: 720 * 3600_000, maxStates: 500 });
  assert.deepEqual(limits("apps", "deployments", "dev"), { maxAgeMs: 168 * 3600_000, maxStates: 100 });
  assert.equal(limits("", "configmaps", "dev"), undefined);
  assert.deepEqual(
    [
      hasHistory(parsed.value, { group: "", resource: "secrets" }),
      hasHistory(parsed.value, { group: "", resource: "pods" }),
    ],
    [false, true],
  );
});

test("what is usual leaves out what changes all the time", () => {
  const policy = usualPolicy((short) => `${short}.orch`);
  const of = (group: string, resource: string) => limitsOf(policy, { group, resource, namespace: "a" }) !== undefined;
  assert.deepEqual(
    [of("coordination.orch", "leases"), of("", "events"), of("", "pods"), of("x.io", "things")],
    [false, false, true, true],
  );
});

const wrong: readonly (readonly [what: string, rules: unknown, more: object, problem: RegExp])[] = [
  ["no rules", [], {}, /^rules: Required value/],
  ["a misspelt field", [{ resource: ["pods"] }], {}, /^unknown field "rules\[0\]\.resource"/],
  ["too many states", [{ maxStates: 5000 }], {}, /^rules\[0\]\.maxStates: Invalid value: 5000: must be from 0/],
  ["no age", [{ maxAge: "0s" }], {}, /^rules\[0\]\.maxAge: Invalid value: "0s": must be more than 0/],
  ["few bytes", [{}], { maxBytes: 10 }, /^maxBytes: Invalid value: 10: must be at least 1048576/],
  ["another kind", [{}], { kind: "Policy" }, /^the file must be of kind ObjectHistoryConfiguration/],
];
for (const [what, rules, more, problem] of wrong) {
  test(`a file with ${what} is refused`, () => {
    const parsed = file(rules, more);
    assert.ok(!parsed.ok);
    assert.match(parsed.problems[0] ?? "", problem);
  });
}
