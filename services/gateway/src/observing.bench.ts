/**
 * What it costs to count and to trace a get, in CPU of this process: `node services/gateway/dist/observing.bench.js`.
 * A traced one is a get through its four spans of the gateway, exported to a collector that takes everything.
 */
import { createMetrics } from "@orch/runtime/metrics.js";
import { createOtlpTracing } from "@orch/tracing/otlp.js";
import { startCollector } from "@orch/tracing/testing/collector.js";
import type { Tracing } from "@orch/tracing/tracing.js";
import { createIdentityMetrics } from "./identity/identity-metrics.js";
import { recordRequest } from "./metrics/metrics.js";
import { createRequestMetrics } from "./metrics/request-metrics.js";
import { received } from "./stages/receive.js";
import { fakeExchange } from "./testing/fake-exchange.js";

const rounds = 12;

/** The least of several rounds: what others do to this machine only adds. */
async function microseconds(count: number, run: () => void | Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < count; i++) {
      const running = run();
      if (running instanceof Promise) await running;
    }
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / count);
  }
  return best;
}

const target = "/api/v1/namespaces/default/configmaps/a";
const exchange = fakeExchange({ target, headers: { host: "h", "user-agent": "bench" } });
const { request, response } = exchange;

function counting(): () => void {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const requests = createRequestMetrics(metrics);
  const identity = createIdentityMetrics(metrics, { monotonic: () => performance.now(), now: () => 0 });
  const user = { name: "ann", uid: "", groups: [], extra: {} };
  const known = identity.timed({ authenticate: () => ({ outcome: "allow", user }) });
  const allowed = identity.decided({ authorize: () => ({ outcome: "allow", reason: "" }) });
  const credentials = { authorization: undefined, certificate: undefined, headers: {} };
  const asked = { user, verb: "get", path: target, kind: "path" } as const;
  const call = received(exchange);
  return () => {
    known.authenticate(credentials);
    allowed.authorize(asked);
    recordRequest(requests, call, 0.7);
  };
}

const body = Buffer.alloc(1024, "x");

function traced(tracing: Tracing | undefined): () => void {
  return () => {
    const { trace } = received({ request, response }, tracing);
    if (trace === undefined) return;
    trace.authenticated();
    const handler = trace.handling("Get");
    handler.event("About to Get from storage");
    const answering = trace.watched({ ...response, code: 0, sent: 0, waitedMs: 0, send() {}, closed: false });
    answering.send(200, ["Content-Type", "application/json"], body);
    trace.end(response);
  };
}

const collector = await startCollector();
const at = (samplingRate: number): Tracing =>
  createOtlpTracing(
    { collector: { type: "network", address: collector.address }, samplingRate },
    { service: "apiserver", instance: "bench", random: Math.random, count() {}, warn() {} },
  );

const counted = await microseconds(200_000, counting());
const off = await microseconds(200_000, traced(undefined));
const rare = at(0.001);
const thousandth = await microseconds(200_000, traced(rare));
const always = at(1);
const trace = traced(always);
// The export is part of what a trace costs; the collector in this process, which is not, adds to it.
const each = await microseconds(2000, async () => {
  trace();
  if (Math.random() < 0.02) await new Promise((resolve) => setImmediate(resolve));
});
await rare.stop();
await always.stop();
collector.stop();
process.stdout.write(
  [
    `counting a get: ${counted.toFixed(3)} µs`,
    `tracing off: ${off.toFixed(3)} µs (a path is taken apart, as ever)`,
    `tracing one get in a thousand: ${(thousandth - off).toFixed(3)} µs more for each`,
    `tracing every get: ${(each - off).toFixed(1)} µs more for each`,
    "",
  ].join("\n"),
);
