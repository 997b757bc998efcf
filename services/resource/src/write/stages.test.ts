import assert from "node:assert/strict";
import { test } from "node:test";
import { noRules, type Permissions } from "@orch/auth/rules.js";
import { openBed, type SubjectOptions } from "../testing/bed.js";

const pod = { resource: "pods" } as const;
const node = { name: "system:node:one", uid: "", groups: ["system:nodes"], extra: {} };
const group = "rbac.authorization.k8s.io";
const rules = [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"] }];

/** Lets everybody do all but `verb`, and notes who asks for that. */
function allBut(verb: string, asked: string[]): Permissions {
  return {
    authorizer: {
      authorize(attributes) {
        if (attributes.verb !== verb) return { outcome: "allow", reason: "" };
        asked.push(attributes.kind === "resource" ? attributes.name : "");
        return { outcome: "noOpinion", reason: "" };
      },
    },
    rules: { rulesFor: () => noRules },
  };
}

test("what a mutating plugin forbids is told before what is invalid", async (t) => {
  const subject = await (await openBed(t, "kubernetes")).start({});
  const invalid = { metadata: { name: "BAD" }, spec: { containers: [] } };
  await assert.rejects(subject.write({ ...pod, user: node }, invalid), { reason: "Forbidden" });
  await assert.rejects(subject.write(pod, invalid), { reason: "Invalid" });
});

test("a role that gives more than its writer has is told so before its faults", async (t) => {
  const asked: string[] = [];
  const options: SubjectOptions = { permissions: allBut("escalate", asked) };
  const subject = await (await openBed(t, "kubernetes")).start(options);
  const role = { resource: "roles", group };
  await assert.rejects(subject.write(role, { metadata: { name: "a/b" }, rules }), { reason: "Forbidden" });
});

test("a generated name that is taken is exchanged without asking admission again", async (t) => {
  const asked: string[] = [];
  let calls = 0;
  // The first two names, of five letters each, are the same one.
  const random = (): number => (calls++ < 10 ? 0 : 0.5);
  const permissions = allBut("bind", asked);
  const subject = await (await openBed(t, "kubernetes")).start({ permissions, random });
  const binding = {
    metadata: { generateName: "made-" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "empty" },
    subjects: [],
  };
  await subject.write({ resource: "clusterroles", group, namespace: "" }, { metadata: { name: "empty" }, rules: [] });
  asked.length = 0;
  const made = async (): Promise<string | undefined> =>
    subject.read(await subject.write({ resource: "rolebindings", group }, binding)).metadata.name;
  assert.deepEqual([await made(), asked.length], ["made-bbbbb", 1]);
  assert.notEqual(await made(), "made-bbbbb");
  assert.equal(asked.length, 2);
});
