import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { openBed, type Subject } from "../testing/bed.js";
import { refusal } from "../testing/refusal.js";

const start = async (t: TestContext): Promise<Subject> => (await openBed(t, "kubernetes")).start();
const patch = (type: string, options: Readonly<Record<string, string>> = {}): Partial<WriteRequest> => ({
  ...{ verb: "patch", name: "a", contentType: `application/${type}`, options },
});
const merge = patch("merge-patch+json");
const put = { verb: "update", name: "a" } as const;

test("a PUT or a patch for another namespace is told as a POST is", async (t) => {
  const { write } = await start(t);
  const why = "400 the namespace of the provided object does not match the namespace sent on the request";
  const elsewhere = { metadata: { name: "a", namespace: "other" } };
  await write({}, { metadata: { name: "a" } });
  assert.equal(await refusal(write(put, elsewhere)), why);
  assert.equal(await refusal(write(put, { metadata: { name: "b", namespace: "other" } })), why);
  assert.equal(await refusal(write(merge, elsewhere)), why);
});

test("a resourceVersion of 0 is none", async (t) => {
  const { write, read } = await start(t);
  const zero = { metadata: { name: "a", resourceVersion: "0", labels: { l: "1" } } };
  await write({}, { metadata: { name: "a" } });
  assert.deepEqual(read(await write(put, zero)).metadata.labels, { l: "1" });
  assert.deepEqual(read(await write(merge, { ...zero, data: { k: "v" } })).data, { k: "v" });
  const leases = { group: "coordination.k8s.io", resource: "leases" };
  await write(leases, { metadata: { name: "a" } });
  assert.match(await refusal(write({ ...leases, ...put }, zero)), /^422 .* 0x0: must be specified for an update$/);
});

test("a PUT with a uid creates nothing", async (t) => {
  const { write } = await start(t);
  const why = (resource: string): string =>
    `409 Operation cannot be fulfilled on ${resource} "a": Precondition failed: UID in precondition: u, UID in object meta: `;
  const body = { metadata: { name: "a", uid: "u" } };
  for (const resource of ["endpoints", "configmaps"]) {
    assert.equal(await refusal(write({ ...put, resource }, body)), why(resource));
  }
});

test("a patch may leave the kind out, and a strategic one may say any", async (t) => {
  const { write, read } = await start(t);
  await write({}, { metadata: { name: "a" } });
  const kindOf = async (reply: ReturnType<Subject["write"]>): Promise<unknown> => read(await reply).kind;
  assert.equal(await kindOf(write(merge, { kind: null, data: { k: "1" } })), "ConfigMap");
  const strategic = patch("strategic-merge-patch+json");
  const other = { kind: "Foo", apiVersion: "foo/v1", data: { k: "2" } };
  assert.equal(await kindOf(write(strategic, other)), "ConfigMap");
  assert.match(await refusal(write(merge, other)), /^422 .*Foo in version "foo\/v1" cannot be handled as a ConfigMap/);
});

test("owners that a patch names twice are counted once after the change has its owner", async (t) => {
  const { write, read } = await start(t);
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
  await write({ options: { fieldManager: "first" } }, { metadata: { name: "a", ownerReferences: [owner] } });
  const twice = { metadata: { ownerReferences: [owner, owner] } };
  const reply = await write(patch("merge-patch+json", { fieldManager: "second" }), twice);
  const { metadata } = read(reply);
  assert.deepEqual(metadata.ownerReferences, [owner]);
  assert.match(reply.warnings.join(), /^.metadata.ownerReferences contains duplicate entries after mutating admission/);
  const own = (metadata.managedFields ?? []).find(({ manager }: { manager?: unknown }) => manager === "second");
  assert.deepEqual(own?.["fieldsV1"], { "f:metadata": { "f:ownerReferences": { 'k:{"uid":"u"}': {} } } });
});

test("an apply of a value that is none of its type is the client's mistake", async (t) => {
  const { write } = await start(t);
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "a" }, spec: { hard: { pods: "many" } } };
  const applying = { ...patch("apply-patch+yaml", { fieldManager: "me" }), resource: "resourcequotas" };
  const why = await refusal(write(applying, quota));
  const what = "failed to convert new object (/a; /v1, Kind=ResourceQuota) to proper version: ";
  assert.ok(why.startsWith(`400 ${what}unable to convert unstructured object to /v1, Kind=ResourceQuota: `), why);
});

test("a deletion's query names the object that is meant", async (t) => {
  const { write } = await start(t);
  await write({}, { metadata: { name: "a" } });
  const deleting = (options: Readonly<Record<string, string>>) => write({ verb: "delete", name: "a", options });
  assert.match(
    await refusal(deleting({ resourceVersion: "1" })),
    /^409 .* the ResourceVersion in the precondition \(1\)/,
  );
  assert.match(await refusal(deleting({ uid: "u" })), /^409 .* the UID in the precondition \(u\) does not match/);
  assert.equal((await deleting({ uid: "", resourceVersion: "" })).code, 200);
});
