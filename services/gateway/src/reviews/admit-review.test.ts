import assert from "node:assert/strict";
import { test } from "node:test";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { resourceAdmit } from "@orch/rpc/methods.js";
import { ApiError } from "@orch/status/api-error.js";
import type { TestGateway } from "../testing/gateway.js";
import { bob, paths, post, start } from "../testing/reviews.js";

const body = {
  metadata: {},
  spec: { user: "u", nonResourceAttributes: { path: "/", verb: "get" } },
};

function admittedBy(answer: (request: WriteRequest) => WriteReply): {
  readonly gateway: TestGateway;
  readonly asked: readonly WriteRequest[];
} {
  const { services, caller } = createInProcess();
  const asked: WriteRequest[] = [];
  services.unary(resourceAdmit, (request) => {
    asked.push(request);
    return answer(request);
  });
  return { gateway: start({ resources: () => caller }), asked };
}

const nobody: WriteReply = { code: 201, body: Buffer.alloc(0), warnings: [] };

test("a review is admitted in the version of its request, before it is looked at", async () => {
  const { gateway, asked } = admittedBy(() => nobody);
  const { code } = await post(gateway, `${paths.access}?dryRun=All&fieldManager=m`, { ...body, spec: {} });
  const [request] = asked;
  assert.deepEqual([code, asked.length], [422, 1], "what is wrong with it is told after admission");
  const { verb, group, version, resource, namespace, name, user, options } = request ?? assert.fail();
  assert.deepEqual(
    { verb, group, version, resource, namespace, name, user, options },
    {
      ...{ verb: "create", group: "authorization.k8s.io", version: "v1", resource: "subjectaccessreviews" },
      ...{ namespace: "", name: "", user: bob, options: { dryRun: "All", fieldManager: "m" } },
    },
  );
  assert.deepEqual(JSON.parse(request?.body.toString() ?? ""), {
    kind: "SubjectAccessReview",
    apiVersion: "authorization.k8s.io/v1",
    ...{ metadata: body.metadata, spec: {} },
  });
});

test("what admission has made of a review is what is answered", async () => {
  const { gateway } = admittedBy(({ body: asked }) => {
    const tree = JSON.parse(asked.toString());
    return {
      code: 201,
      body: Buffer.from(JSON.stringify({ ...tree, spec: { ...tree.spec, user: "x" } })),
      warnings: ["w"],
    };
  });
  const reply = await post(gateway, paths.access, body);
  assert.deepEqual([reply.code, Object(reply.body["spec"]).user, reply.warnings], [201, "x", ['299 - "w"']]);
});

test("who refuses a review is told as it is, with warnings or without", async () => {
  const refusal = new ApiError("BadRequest", "no");
  const told = admittedBy(() => {
    throw refusal;
  });
  const plain = await post(told.gateway, paths.access, body);
  assert.deepEqual([plain.code, plain.body["message"]], [400, "no"]);
  const status = Buffer.from('{"kind":"Status","code":418}\n');
  const { gateway } = admittedBy(() => ({ code: 418, body: status, warnings: ["w"] }));
  const warned = await post(gateway, paths.access, body);
  assert.deepEqual([warned.code, warned.body["code"], warned.warnings], [418, 418, ['299 - "w"']]);
});

test("a kind of review that concerns nobody is left alone for a moment, others are not", async () => {
  const { gateway, asked } = admittedBy(() => nobody);
  for (const path of [paths.access, paths.access, paths.self, paths.self]) {
    assert.equal((await post(gateway, path, path === paths.self ? {} : body)).code, 201);
  }
  assert.deepEqual(
    asked.map(({ resource }) => resource),
    ["subjectaccessreviews", "selfsubjectreviews"],
  );
});
