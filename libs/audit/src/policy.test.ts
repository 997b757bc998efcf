import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Attributes } from "@orch/auth/authorizer.js";
import { createNaming } from "@orch/naming/naming.js";
import { readJson } from "@orch/status/read-json.js";
import { compilePolicy, type Policy } from "./policy.js";
import { loadPolicyFile, parsePolicy } from "./policy-file.js";

interface Row {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly verb: string;
  readonly path?: string;
  readonly namespace?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly sub?: string;
  readonly name?: string;
  readonly level: string;
  readonly omitStages?: readonly string[];
  readonly omitManagedFields?: boolean;
}

interface Known {
  readonly files: readonly { readonly file: string; readonly error?: string }[];
  readonly rules: readonly { readonly rules: object; readonly policy: object; readonly requests: readonly Row[] }[];
}

const known: Known = readJson(readFileSync(new URL("../testdata/policies.json", import.meta.url), "utf8"));
const naming = createNaming("kubernetes");
const parse = (text: string) => parsePolicy(Buffer.from(text), naming);

test("a file is refused by the field that is wrong, or taken, as the reference does", () => {
  for (const { file, error } of known.files) {
    const parsed = parse(file);
    if (error === undefined) {
      assert.deepEqual(parsed.ok ? "" : parsed.problems.join(), "", file);
      continue;
    }
    assert.ok(!parsed.ok, file);
    const [problem = ""] = parsed.problems;
    // What the reference says of a value in its language is left out.
    const [head = ""] = error.split(/ \(|Invalid value: \[\]string|failed decoding: /);
    assert.ok(problem.startsWith(head.replace("/__internal", "")), `${file}: ${problem}`);
    if (error.startsWith("failed decoding: ")) assert.match(problem, /^failed decoding: /, file);
  }
});

test("every wrong field is told, and what means nothing is warned of", () => {
  const wrong = parse(
    '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","omitStages":["A"],"rules":[{"level":"Metadata","resources":[{"group":"","resourceNames":["a"]}]},{}]}',
  );
  assert.deepEqual(wrong, {
    ok: false,
    problems: [
      '[omitStages[0]: Invalid value: "A": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic, rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource, rules[1].level: Required value]',
    ],
  });
  const typed = parse('{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":7,"users":"a"}]}');
  assert.deepEqual(typed, {
    ok: false,
    problems: ["failed decoding: rules[0].level: must be a string, rules[0].users: must be a list"],
  });
  const odd = parse('{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"None","levle":"None"}]}');
  assert.ok(odd.ok);
  assert.deepEqual(odd.value.warnings, ['unknown field "rules[0].levle"']);
});

test("a problem names the file, and a dialect has a group of its own", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "audit-policy-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "p.yaml");
  writeFileSync(path, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []\n");
  const empty = loadPolicyFile(path, naming);
  assert.deepEqual(empty, { ok: false, problems: [`loaded illegal policy with 0 rules: from file ${path}`] });
  assert.ok(!loadPolicyFile(path, createNaming("orch")).ok);
  const absent = loadPolicyFile(join(folder, "absent"), naming);
  assert.ok(!absent.ok);
  assert.match(absent.problems.join(), /^failed to read file path ".*absent": /);
});

function policyOf(file: object): Policy {
  const parsed = parse(JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", ...file }));
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.value.policy;
}

function attributesOf({ user, groups = [], verb, path, ...row }: Row): Attributes {
  const who = { user: { name: user, uid: "", groups, extra: {} }, verb };
  if (path !== undefined) return { kind: "path", path, ...who };
  const { namespace = "", group = "", resource = "", sub: subresource = "", name = "" } = row;
  return { kind: "resource", ...who, group, version: "v1", resource, namespace, name, subresource };
}

test("the first rule that matches says what is recorded", () => {
  let rows = 0;
  for (const { rules, policy, requests } of known.rules) {
    const planOf = compilePolicy(policyOf({ ...policy, rules }));
    for (const row of requests) {
      const { level, omitStages, omitManagedFields } = planOf(attributesOf(row));
      const plan = { level, omitStages: [...omitStages].sort(), omitManagedFields };
      const wanted = {
        level: row.level,
        omitStages: [...(row.omitStages ?? [])].sort(),
        omitManagedFields: row.omitManagedFields ?? false,
      };
      assert.deepEqual(plan, wanted, `${JSON.stringify(rules)} ${JSON.stringify(row)}`);
      rows++;
    }
  }
  assert.ok(rows > 50, `${rows}`);
});

test("rules are looked at in their order, and a request must match all that one says", () => {
  const planOf = compilePolicy(
    policyOf({
      rules: [
        { level: "None", users: ["a"], verbs: ["get"] },
        { level: "Request", userGroups: ["g"], resources: [{ group: "", resources: ["pods", "*/scale"] }] },
        { level: "Metadata" },
      ],
    }),
  );
  const level = (row: Partial<Row>): string =>
    planOf(attributesOf({ user: "a", verb: "get", resource: "pods", level: "", ...row })).level;
  assert.equal(level({}), "None");
  assert.equal(level({ verb: "list" }), "Metadata");
  assert.equal(level({ verb: "list", groups: ["x", "g"] }), "Request");
  assert.equal(level({ user: "b", groups: ["g"], sub: "log" }), "Metadata");
  assert.equal(level({ user: "b", groups: ["g"], resource: "things", sub: "scale" }), "Request");
  assert.equal(level({ user: "b", groups: ["g"], resource: "things" }), "Metadata");
});
