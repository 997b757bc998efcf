import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { type Deletion, type DeletionFacts, whyNotDeleted } from "./reasons.js";
import { deletionText } from "./text.js";

const naming = createNaming("orch");
const deleted = "2026-01-01T00:00:30Z";
const now = Date.parse("2026-01-01T00:10:00Z");

interface Asked extends Partial<Pick<DeletionFacts, "found" | "node">> {
  readonly kind?: string;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

function told({ kind = "ConfigMap", metadata = {}, spec = {}, status = {}, found = {}, node }: Asked): Deletion {
  const object: ApiObject = { kind, spec, status, metadata: { name: "x", namespace: "shop", ...metadata } };
  return whyNotDeleted({ naming, kind, object, found, node, now });
}

const going = (metadata: object = {}) => ({ deletionTimestamp: deleted, ...metadata });

test("an object that nobody has deleted waits for nothing", () => {
  const { state, notes } = told({ metadata: { finalizers: ["example.com/x"] } });
  assert.equal(state, "notDeleted");
  assert.match(notes.join("; "), /no deletionTimestamp; once somebody does, it will wait for example\.com\/x/);
});

test("a finalizer of the server's parts is told with who takes it away, and what is left", () => {
  const other = { kind: "Pod", name: "p", namespace: "shop", finalizers: [], isGoing: true };
  const found = { blockers: { others: [other], unread: ["widgets cannot be listed: no"] } };
  const deletion = told({ metadata: going({ finalizers: ["foregroundDeletion"] }), found });
  assert.equal(deletion.state, "waiting");
  assert.match(deletion.waiting[0]?.who ?? "", /garbage collector of the orch-controller-manager/);
  assert.deepEqual(deletion.waiting[0]?.left, [other]);
  assert.deepEqual(deletion.notes, ["widgets cannot be listed: no"]);
  assert.deepEqual([deletion.since, deletion.seconds], ["2026-01-01T00:00:30.000Z", 570]);
  assert.match(deletionText(deletion), /still there: Pod shop\/p \(being deleted\)/);
});

test("a finalizer of somebody else is told with its manager", () => {
  const finalizer = "example.com/hold";
  const managedFields = [
    { manager: "other", fieldsV1: { "f:data": {} } },
    {
      ...{ manager: "holder", time: "2026-01-01T00:00:00Z" },
      fieldsV1: { "f:metadata": { "f:finalizers": { [`v:"${finalizer}"`]: {} } } },
    },
  ];
  const { waiting } = told({ metadata: going({ finalizers: [finalizer], managedFields }) });
  assert.match(waiting[0]?.who ?? "", /^holder, who has set it at 2026-01-01T00:00:00Z$/);
  const [nobody] = told({ metadata: going({ finalizers: [finalizer] }) }).waiting;
  assert.equal(nobody?.who, "whoever has set it");
});

test("a namespace waits for what is in it, and its controller's conditions are told", () => {
  const conditions = [
    { type: "NamespaceContentRemaining", status: "True", message: "Some", lastTransitionTime: "T" },
    { type: "NamespaceDeletionContentFailure", status: "False", message: "None", lastTransitionTime: "T" },
  ];
  const spec = { finalizers: ["orch"] };
  const { waiting, notes } = told({ kind: "Namespace", metadata: going(), spec, status: { conditions } });
  assert.match(waiting[0]?.who ?? "", /namespace controller/);
  assert.deepEqual(notes, ["NamespaceContentRemaining since T: Some"]);
});

test("a pod waits for the agent of its node, which may be away", () => {
  const conditions = [{ type: "Ready", status: "Unknown", lastTransitionTime: "T" }];
  const node: ApiObject = { metadata: { name: "n" }, status: { conditions } };
  const metadata = going({ deletionGracePeriodSeconds: 30 });
  const deletion = told({ kind: "Pod", metadata, spec: { nodeName: "n" }, node });
  assert.deepEqual([deletion.state, deletion.since], ["graceful", "2026-01-01T00:00:00.000Z"]);
  assert.match(
    deletion.notes.join("\n"),
    /the agent of node n stops it .* which was 570 seconds ago\nnode n is not ready since T/,
  );
  assert.match(told({ kind: "Pod", metadata, spec: {} }).notes.join(), /it has no node/);
});
