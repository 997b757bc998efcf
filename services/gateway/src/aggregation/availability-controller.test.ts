import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createMetrics } from "@orch/runtime/metrics.js";
import { ApiError } from "@orch/status/api-error.js";
import { createAvailabilityController } from "./availability-controller.js";
import { createAvailabilityMetrics } from "./metrics.js";
import { otherAuthority, type Serve, startBackend } from "./testing/backend.js";
import { conditionOf, until } from "./testing/cluster.js";
import { apiName, group, remoteKit } from "./testing/remote-kit.js";

function setup(t: TestContext, askMs = 20_000) {
  const kit = remoteKit(t);
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const failures: unknown[] = [];
  const controller = createAvailabilityController({
    ...kit,
    write: kit.cluster.write,
    metrics: createAvailabilityMetrics(metrics),
    askMs,
    failed: (_what, error) => void failures.push(error),
  });
  controller.start();
  t.after(() => controller.stop());
  return {
    ...kit,
    metrics,
    failures,
    /** Until the condition is this. */
    becomes: (wanted: RegExp) => until(() => wanted.test(conditionOf(kit.cluster, apiName))),
  };
}

const well: Serve = (_message, response) => void response.end("{}");
const saying =
  (code: number): Serve =>
  (_message, response) =>
    void response.writeHead(code, { Location: "/" }).end();
const path = `/apis/${group}/v1`;

test("a server is asked once its Service is there, as the aggregator, who may see everything", async (t) => {
  const { heard, port } = await startBackend(t, well);
  const { register, expose, becomes } = setup(t);
  register(port);
  await becomes(/^False ServiceNotFound: service\/svc in "ns" is not present$/);
  expose();
  await becomes(/^True Passed: all checks passed$/);
  const [{ url, headersDistinct } = assert.fail()] = heard;
  assert.equal(url, path);
  assert.deepEqual(headersDistinct["x-remote-user"], ["system:kube-aggregator"]);
  assert.deepEqual(headersDistinct["x-remote-group"], ["system:masters"]);
});

const unwell: readonly (readonly [what: string, serve: Serve, why: RegExp])[] = [
  ["404", saying(404), /: bad status from https:\/\/127\.0\.0\.1:\d+\/apis\/ext\.example\.com\/v1: 404$/],
  ["500", saying(500), /: 500$/],
  ["403", saying(403), /: 403$/],
  ["a redirect", saying(302), /: 302$/],
  ["nothing", () => {}, /: Get "https:\/\/127\.0\.0\.1:\d+\/apis\/ext\.example\.com\/v1": context deadline exceeded$/],
  ["by closing", (message) => message.socket.destroy(), /: EOF$/],
];

for (const [what, serve, why] of unwell) {
  test(`a server that answers ${what} to discovery is not available`, async (t) => {
    const { port } = await startBackend(t, serve);
    const { register, expose, becomes, cluster } = setup(t, what === "nothing" ? 200 : undefined);
    register(port);
    expose();
    await becomes(
      /^False FailedDiscoveryCheck: failing or missing response from https:\/\/127\.0\.0\.1:\d+\/apis\/ext\.example\.com\/v1: /,
    );
    assert.match(conditionOf(cluster, apiName), why);
  });
}

test("a certificate that nobody vouches for is no matter of availability", async (t) => {
  const { port } = await startBackend(t, well);
  const { register, expose, becomes } = setup(t);
  register(port, { ca: otherAuthority.certificate });
  expose();
  await becomes(/^True Passed/);
});

test("a server that goes is found out when its Service changes, and counted", async (t) => {
  let isWell = true;
  const { port } = await startBackend(t, (message, response) => (isWell ? well : saying(500))(message, response));
  const { register, expose, becomes, metrics, cluster } = setup(t);
  register(port);
  expose();
  await becomes(/^True/);
  assert.match(await metrics.text(), /^aggregator_unavailable_apiservice\{name="v1\.ext\.example\.com"\} 0$/m);
  isWell = false;
  expose();
  await becomes(/^False/);
  const page = await metrics.text();
  assert.match(page, /^aggregator_unavailable_apiservice\{name="v1\.ext\.example\.com"\} 1$/m);
  assert.match(
    page,
    /^aggregator_unavailable_apiservice_total\{name="v1\.ext\.example\.com",reason="FailedDiscoveryCheck"\} 1$/m,
  );
  isWell = true;
  await becomes(/^True/);
  cluster.remove("apiservices", apiName);
  assert.doesNotMatch(await metrics.text(), /ext\.example\.com/);
});

test("what is said already is not written, and a write that fails is tried again", async (t) => {
  const { port } = await startBackend(t, well);
  const { register, expose, becomes, cluster, failures } = setup(t);
  cluster.fail = new ApiError("ServiceUnavailable", "away");
  register(port);
  expose();
  await becomes(/^True Passed/);
  assert.equal(failures.length, 1);
  const before = cluster.writes.length;
  expose();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(cluster.writes.length, before);
});

test("what somebody else says of a server is put right", async (t) => {
  const { port } = await startBackend(t, well);
  const { register, expose, becomes, cluster } = setup(t);
  register(port);
  expose();
  await becomes(/^True Passed/);
  const object = cluster.get("apiservices", apiName);
  cluster.put("apiservices", {
    ...object,
    status: { conditions: [{ type: "Available", status: "False", reason: "Mine" }] },
  });
  await becomes(/^True Passed/);
});

test("gateways that see a server differently write its status seldom", async (t) => {
  const { port } = await startBackend(t, well);
  const { register, expose, becomes, cluster } = setup(t);
  register(port);
  expose();
  await becomes(/^True Passed/);
  const before = cluster.writes.length;
  for (let i = 0; i < 20; i++) {
    const object = cluster.get("apiservices", apiName);
    const conditions = [{ type: "Available", status: "False", reason: "Theirs", message: String(i) }];
    cluster.put("apiservices", { ...object, status: { conditions } });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.ok(cluster.writes.length - before <= 1, `${cluster.writes.length - before} writes`);
  await becomes(/^True Passed/);
});

test("one that loses its server is local, and nothing of its Service is followed any more", async (t) => {
  const { port } = await startBackend(t, well);
  const { register, expose, becomes, cluster } = setup(t);
  register(port);
  expose();
  await becomes(/^True Passed/);
  assert.equal(cluster.followers("services"), 1);
  const { spec: _spec, ...object } = Object(cluster.get("apiservices", apiName));
  cluster.put("apiservices", { ...object, spec: { group, version: "v1" } });
  await becomes(/^True Local: Local APIServices are always available$/);
  assert.deepEqual(["services", "endpoints", "endpointslices"].map(cluster.followers), [0, 0, 0]);
});
