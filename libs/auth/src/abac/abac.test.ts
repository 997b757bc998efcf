import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import type { Attributes, ResourceAttributes } from "../authorizer.js";
import { resourceAttributes, user } from "../testing/attributes.js";
import { abacAuthorizer, type Policy, parseAbacFile } from "./abac.js";

const naming = createNaming("orch");
const line = (spec: object, words = naming): string =>
  JSON.stringify({ apiVersion: words.abacApiVersion, kind: "Policy", spec });

function policies(text: string, words = naming): readonly Policy[] {
  const parsed = parseAbacFile(text, words);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.problems.join("; "));
  return parsed.value;
}

const alice = user("alice", "dev", "system:authenticated");

const of = (fields: Partial<ResourceAttributes> = {}): Attributes => resourceAttributes({ user: alice, ...fields });
const path = (at: string, verb = "get", who = alice): Attributes => ({ kind: "path", user: who, verb, path: at });

test("lines are read in both dialects, comments and empty lines passed over", () => {
  for (const words of [naming, createNaming("kubernetes")]) {
    const text = `# who may what\n\n${line({ user: "alice", readonly: true, namespace: "*" }, words)}\r\n  # more\n`;
    assert.deepEqual(policies(text, words), [
      { user: "alice", group: "", readonly: true, apiGroup: "", resource: "", namespace: "*", nonResourcePath: "" },
    ]);
  }
  assert.deepEqual(policies(""), []);
});

test("every line that is wrong is told of, and shows nothing of itself but names of fields", () => {
  const parsed = parseAbacFile(
    [
      '{"user":"s3cret"',
      line({ user: "a" }),
      "[]",
      '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{}}',
      '{"apiVersion":"abac.authorization.orch/v1beta1","spec":{}}',
      '{"apiVersion":"abac.authorization.orch/v1beta1","kind":"Policy"}',
      line({ readOnly: true }),
      line({ readonly: "true" }),
      line({ user: 1 }),
      '{"user":"a","apiGroup":"*"}',
      '{"spec":{"user":"a"}}',
      '{"apiVersion":"abac.authorization.orch/v1beta1","kind":"Policy","spec":{},"user":"a"}',
    ].join("\n"),
    naming,
  );
  const expected = "; expected Policy of abac.authorization.orch/v1beta1";
  assert.deepEqual(parsed, {
    ok: false,
    problems: [
      "line 1: is no JSON object",
      "line 3: is no JSON object",
      `line 4: no kind "Policy" is registered for version "abac.authorization.kubernetes.io/v1beta1"${expected}`,
      `line 5: no kind "" is registered for version "abac.authorization.orch/v1beta1"${expected}`,
      "line 6: spec: Required value",
      'line 7: unknown field "readOnly"',
      "line 8: readonly: must be a boolean",
      "line 9: user: must be a string",
      'line 10: unknown field "apiGroup"',
      'line 11: unknown field "spec"',
      'line 12: unknown field "user"',
    ],
  });
});

const any = { namespace: "*", resource: "*", apiGroup: "*", nonResourcePath: "*" };
const rows: readonly (readonly [spec: object, Attributes, allowed: boolean])[] = [
  // who
  [{ ...any, user: "alice" }, of(), true],
  [{ ...any, user: "bob" }, of(), false],
  [{ ...any, user: "*" }, of({ user: user("x") }), true],
  [{ ...any, group: "dev" }, of(), true],
  [{ ...any, group: "ops" }, of(), false],
  [{ ...any, group: "*" }, of({ user: user("x") }), true],
  [{ ...any, user: "alice", group: "dev" }, of(), true],
  [{ ...any, user: "alice", group: "ops" }, of(), false],
  [{ ...any, user: "bob", group: "dev" }, of(), false],
  [{ ...any, user: "*", group: "ops" }, of(), false],
  [any, of(), false],
  // what for
  [{ ...any, user: "alice", readonly: true }, of({ verb: "watch" }), true],
  [{ ...any, user: "alice", readonly: true }, of({ verb: "create" }), false],
  [{ ...any, user: "alice", readonly: true }, of({ verb: "deletecollection" }), false],
  [{ ...any, user: "alice" }, of({ verb: "delete" }), true],
  // which resource
  [{ user: "alice", namespace: "n", resource: "pods", apiGroup: "" }, of(), true],
  [{ user: "alice", namespace: "n", resource: "pods", apiGroup: "apps" }, of(), false],
  [{ user: "alice", namespace: "n", resource: "pods", apiGroup: "*" }, of({ group: "apps" }), true],
  [{ user: "alice", namespace: "n", resource: "services" }, of(), false],
  [{ user: "alice", namespace: "m", resource: "pods" }, of(), false],
  [{ user: "alice", resource: "pods" }, of(), false],
  [{ user: "alice", resource: "pods" }, of({ namespace: "" }), true],
  [{ user: "alice", namespace: "*", resource: "pods" }, of({ namespace: "" }), true],
  [{ user: "alice", namespace: "n" }, of(), false],
  [{ user: "alice", namespace: "n", resource: "po*" }, of(), false],
  // which path
  [{ user: "alice", nonResourcePath: "/metrics" }, path("/metrics"), true],
  [{ user: "alice", nonResourcePath: "/metrics" }, path("/metrics/x"), false],
  [{ user: "alice", nonResourcePath: "/api/*" }, path("/api/v1"), true],
  [{ user: "alice", nonResourcePath: "/api/*" }, path("/api"), false],
  [{ user: "alice", nonResourcePath: "/api**" }, path("/apis"), true],
  [{ user: "alice", nonResourcePath: "*" }, path("/x", "post"), true],
  [{ user: "alice", nonResourcePath: "*", readonly: true }, path("/x", "post"), false],
  [{ user: "alice", nonResourcePath: "*" }, of({ namespace: "" }), false],
  [{ user: "alice", namespace: "*", resource: "*", apiGroup: "*" }, path("/x"), false],
];

test("a policy allows as the reference's does", () => {
  for (const [spec, attributes, expected] of rows) {
    const decision = abacAuthorizer(policies(line(spec))).authorize(attributes);
    const outcome = expected
      ? { outcome: "allow", reason: "" }
      : { outcome: "noOpinion", reason: "No policy matched." };
    assert.deepEqual(decision, outcome, `${JSON.stringify(spec)} ${JSON.stringify(attributes)}`);
  }
});

test("in lines of the oldest form what is not there stands for all who are known and all there is", () => {
  const anonymous = user("system:anonymous", "system:unauthenticated");
  const legacy: readonly (readonly [fields: object, Attributes, boolean])[] = [
    [{}, of({ group: "apps", verb: "delete" }), true],
    [{}, path("/metrics"), true],
    [{}, of({ user: anonymous }), false],
    [{}, path("/metrics", "get", anonymous), false],
    [{ user: "*" }, of(), true],
    [{ user: "*" }, of({ user: anonymous }), false],
    [{ user: "bob", group: "*" }, of(), true],
    [{ user: "alice" }, of(), true],
    [{ user: "alice", resource: "pods" }, of({ group: "x" }), true],
    [{ user: "alice", resource: "pods" }, path("/x"), false],
    [{ user: "alice", namespace: "m" }, of(), false],
    [{ user: "alice", namespace: "n" }, of({ resource: "secrets" }), true],
    [{ user: "alice", readonly: true }, of({ verb: "update" }), false],
  ];
  for (const [fields, attributes, expected] of legacy) {
    const decision = abacAuthorizer(policies(JSON.stringify(fields))).authorize(attributes);
    assert.ok(!(decision instanceof Promise));
    assert.equal(decision.outcome === "allow", expected, `${JSON.stringify(fields)} ${JSON.stringify(attributes)}`);
  }
});

test("rules are those of the policies that are for the user and the namespace", () => {
  const text = [
    { user: "alice", namespace: "n", resource: "pods", apiGroup: "", readonly: true },
    { group: "dev", namespace: "*", resource: "*", apiGroup: "apps", nonResourcePath: "/x" },
    { user: "alice", namespace: "m", resource: "secrets" },
    { user: "bob", namespace: "*", resource: "*" },
  ].map((spec) => line(spec));
  assert.deepEqual(abacAuthorizer(policies(text.join("\n"))).rulesFor(alice, "n"), {
    rules: [
      { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods"] },
      { verbs: ["*"], apiGroups: ["apps"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["/x"] },
    ],
    incomplete: false,
    evaluationError: "",
  });
});

test("no text makes it throw", () => {
  const spec = fc.record({ user: fc.jsonValue(), readonly: fc.jsonValue() }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.json(), spec.map(line))), (lines) => {
      const parsed = parseAbacFile(lines.join("\n"), naming);
      assert.ok(parsed.ok || parsed.problems.length > 0);
    }),
    { numRuns: 500 },
  );
});
