import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { RawRequest } from "@orch/client/http/http.js";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createFlowSchemaStatusController, newCondition } from "./status-controller.js";

const now = Date.parse("2026-01-02T03:04:05.678Z");
const named = (level: string) => `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`;
const found = (level: string) => ({
  type: "Dangling",
  status: "False",
  reason: "Found",
  message: `${named(level)} and it exists`,
});
const missing = (level: string) => ({
  type: "Dangling",
  status: "True",
  reason: "NotFound",
  message: `${named(level)} but there is no such object`,
});
const schemaOf = (level: string, ...conditions: readonly object[]) => ({
  spec: { priorityLevelConfiguration: { name: level } },
  ...(conditions.length === 0 ? {} : { status: { conditions } }),
});

const rows: readonly (readonly [what: string, schema: object, wanted: object | undefined])[] = [
  ["a level that is there", schemaOf("there"), found("there")],
  ["a level that is not there", schemaOf("gone"), missing("gone")],
  ["what is said already", schemaOf("there", found("there")), undefined],
  ["what is said already of a missing one", schemaOf("gone", missing("gone")), undefined],
  ["what is not so any more", schemaOf("there", missing("there")), found("there")],
  ["another level than is spoken of", schemaOf("there", found("before")), found("there")],
  ["another reason", schemaOf("there", { ...found("there"), reason: "Other" }), found("there")],
  ["another type", schemaOf("there", { ...found("there"), type: "Other" }), found("there")],
];

for (const [what, schema, wanted] of rows) {
  test(`a schema with ${what} ${wanted === undefined ? "is left" : "is told so"}`, () => {
    assert.deepEqual(newCondition({ metadata: {}, ...schema }, new Set(["there"])), wanted);
  });
}

function setup(t: TestContext) {
  const server = createMemoryServer();
  const writes: string[] = [];
  const failures: ApiError[] = [];
  const prefix = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/";
  const raw = async (request: RawRequest) => {
    assert.equal(request.method, "PATCH");
    assert.deepEqual(request.headers, { "content-type": "application/apply-patch+yaml" });
    assert.deepEqual(request.query, { fieldManager: "api-priority-and-fairness-config-consumer-v1", force: true });
    const { apiVersion, kind, metadata, status } = JSON.parse(String(request.body));
    assert.deepEqual([apiVersion, kind], ["flowcontrol.apiserver.k8s.io/v1", "FlowSchema"]);
    assert.equal(request.path, `${prefix}${metadata.name}/status`);
    const [condition] = status.conditions;
    assert.equal(condition.lastTransitionTime, "2026-01-02T03:04:05Z");
    writes.push(`${metadata.name} ${condition.reason}`);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    const path = `flowschemas/${metadata.name}`;
    const schema = server.at(path);
    if (schema === undefined || schema.metadata.uid !== metadata.uid) throw new ApiError("Conflict", "another uid");
    server.put(path, { ...schema, status });
    return { status: 200, headers: {}, body: Buffer.from("") };
  };
  const tools = memoryTools({ ...server, client: { ...server.client, raw } }, createNaming("kubernetes"));
  const clock = { ...tools.clock, now: () => now };
  return {
    ...server,
    writes,
    failures,
    failed: tools.failures,
    run: () => runController(t, createFlowSchemaStatusController({ ...tools, clock })),
    has: (...all: readonly string[]) => until(() => writes.join() === all.join(), `${all} (are: ${writes})`),
  };
}

test("schemas are told of their levels at the start, each once", async (t) => {
  const { put, run, has, failed } = setup(t);
  put("prioritylevelconfigurations/one");
  put("flowschemas/a", schemaOf("one"));
  put("flowschemas/b", schemaOf("two"));
  put("flowschemas/c", schemaOf("one", found("one")));
  run();
  await has("a Found", "b NotFound");
  assert.equal(failed(), 0);
});

test("a level that comes or goes is told to its schemas alone", async (t) => {
  const { put, remove, run, has } = setup(t);
  put("prioritylevelconfigurations/one");
  put("flowschemas/a", schemaOf("one", found("one")));
  put("flowschemas/b", schemaOf("two", missing("two")));
  run();
  put("flowschemas/c", schemaOf("three"));
  await has("c NotFound");
  put("prioritylevelconfigurations/two");
  await has("c NotFound", "b Found");
  remove("prioritylevelconfigurations/one");
  await has("c NotFound", "b Found", "a NotFound");
});

test("what somebody else makes of the condition is put right", async (t) => {
  const { put, run, has } = setup(t);
  put("prioritylevelconfigurations/one");
  put("flowschemas/a", schemaOf("one"));
  run();
  await has("a Found");
  put("flowschemas/a", schemaOf("one", missing("one")));
  await has("a Found", "a Found");
});

test("a schema that has another level now is told of it", async (t) => {
  const { put, run, has } = setup(t);
  put("prioritylevelconfigurations/one");
  put("flowschemas/a", schemaOf("one", found("one")));
  run();
  put("flowschemas/a", schemaOf("two", found("one")));
  await has("a NotFound");
});

test("a write that fails is told and tried again", async (t) => {
  const { put, run, has, failures, failed } = setup(t);
  failures.push(new ApiError("ServiceUnavailable", "away"));
  put("flowschemas/a", schemaOf("one"));
  run();
  await has("a NotFound", "a NotFound");
  assert.equal(failed(), 1);
});
