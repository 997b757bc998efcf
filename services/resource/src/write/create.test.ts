import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { openBed, type Subject } from "../testing/bed.js";
import { refusal } from "../testing/refusal.js";

const start = async (t: TestContext): Promise<Subject> => (await openBed(t, "orch")).start();
const namespaces = { resource: "namespaces", namespace: "" };
const roles = { group: "rbac.authorization.orch", resource: "clusterroles", namespace: "" };

test("a namespace on an object that can have none is cleared, whichever way it is written", async (t) => {
  const { write, read } = await start(t);
  const object = (data: object) => ({ metadata: { name: "r", namespace: "somewhere" }, ...data });
  const applied = {
    apiVersion: "rbac.authorization.orch/v1",
    kind: "ClusterRole",
    ...object({ rules: [] }),
    metadata: { name: "applied", namespace: "somewhere" },
  };
  const patch = (type: string): Partial<WriteRequest> => ({
    ...roles,
    verb: "patch",
    contentType: `application/${type}`,
    options: { fieldManager: "me" },
  });
  const rule = (verb: string) => ({ rules: [{ verbs: [verb], apiGroups: [""], resources: ["pods"] }] });
  const replies = [
    await write(roles, object({})),
    await write({ ...roles, verb: "update", name: "r" }, object(rule("get"))),
    await write({ ...patch("merge-patch+json"), name: "r" }, object(rule("list"))),
    await write({ ...patch("strategic-merge-patch+json"), name: "r" }, object(rule("watch"))),
    await write({ ...patch("json-patch+json"), name: "r" }, [
      { op: "add", path: "/metadata/namespace", value: "somewhere" },
    ]),
    await write({ ...patch("apply-patch+yaml"), name: "applied" }, applied),
    await write({ ...patch("apply-patch+yaml"), name: "applied" }, { ...applied, ...rule("get") }),
    await write(namespaces, { metadata: { name: "n1", namespace: "somewhere" } }),
    await write(
      { ...namespaces, verb: "update", subresource: "status", name: "n1" },
      { metadata: { name: "n1", namespace: "n1" }, status: { phase: "Active" } },
    ),
  ];
  for (const reply of replies) {
    const { metadata } = read(reply);
    assert.equal(metadata.namespace, undefined, reply.body.toString());
    assert.ok(!JSON.stringify(metadata.managedFields ?? []).includes("f:namespace"), reply.body.toString());
  }
});

test("an object with a namespace may still not name another one", async (t) => {
  const { write } = await start(t);
  const why = "400 the namespace of the provided object does not match the namespace sent on the request";
  assert.equal(await refusal(write({}, { metadata: { name: "a", namespace: "other" } })), why);
});

test("the resourceVersion of a new object is judged last, and not at all in a dry run", async (t) => {
  const { write, read } = await start(t);
  const why = "400 resourceVersion should not be set on objects to be created";
  const versioned = (name: string, resourceVersion = "12") => ({ metadata: { name, resourceVersion } });
  assert.equal(await refusal(write({}, versioned("a"))), why);
  assert.match(await refusal(write({}, versioned("A"))), /^422 .*metadata.name: Invalid value: "A"/);
  assert.match(await refusal(write({ namespace: "nowhere" }, versioned("a"))), /^404 /);
  const dry = await write({ options: { dryRun: "All" } }, versioned("a"));
  assert.equal(dry.code, 201);
  await write({}, { metadata: { name: "a" } });
  assert.equal(await refusal(write({}, versioned("a"))), why, "before the name is looked for");
  assert.equal(read(await write({}, versioned("zero", "0"))).metadata.name, "zero");
});

test("a name with a NUL is refused, given or as a prefix, of each kind whose names may be nearly anything", async (t) => {
  const { write } = await start(t);
  for (const metadata of [{ name: "a\0b" }, { generateName: "a\0b" }]) {
    const why = /^422 .*Invalid value: "a\\x00b\w*": may not contain '\\x00'/;
    assert.match(await refusal(write(roles, { metadata })), why);
    assert.match(await refusal(write({ ...roles, resource: "roles", namespace: "default" }, { metadata })), why);
  }
});

test("who creates what is being deleted is told so", async (t) => {
  const { write } = await (await openBed(t, "kubernetes")).start();
  const held = { metadata: { name: "a", finalizers: ["example.com/hold"] } };
  await write({}, held);
  assert.equal(await refusal(write({}, held)), '409 configmaps "a" already exists');
  await write({ verb: "delete", name: "a" });
  for (const options of [{}, { dryRun: "All" }]) {
    const told = '409 object is being deleted: configmaps "a" already exists';
    assert.equal(await refusal(write({ options }, held)), told);
  }
});
