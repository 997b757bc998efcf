import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { createFreshness } from "./freshness.js";
import { healthPages } from "./health-pages.js";
import { type Page, servePages } from "./page-server.js";
import { checkPage, createServiceChecks } from "./service-checks.js";

test("a change that waits for two sync periods is not healthy, a node that goes is not eligible", async () => {
  const clock = createManualClock(1_000_000);
  const freshness = createFreshness({ clock, syncMs: 30_000 });
  const told: string[] = [];
  let isEligible = true;
  const pages = healthPages({
    freshness,
    clock,
    isEligible: () => isEligible,
    told: (kind, code) => told.push(`${kind} ${code}`),
  });
  const server = await servePages({ host: "127.0.0.1", port: 0 }, pages);
  const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
  try {
    freshness.updated(clock.monotonic());
    const answer = await get("/healthz");
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), {
      lastUpdated: "1970-01-01T00:16:40.000Z",
      currentTime: "1970-01-01T00:16:40.000Z",
      nodeEligible: true,
    });
    isEligible = false;
    assert.deepEqual([(await get("/healthz")).status, (await get("/livez")).status], [503, 200]);
    freshness.queued();
    clock.advance(59_000);
    assert.equal((await get("/livez")).status, 200);
    clock.advance(1_000);
    assert.equal((await get("/livez")).status, 503);
    assert.equal((await get("/other")).status, 404);
    assert.deepEqual(told, ["healthz 200", "healthz 503", "livez 200", "livez 200", "livez 503"]);
  } finally {
    await server.stop();
  }
});

test("syncs that are written keep a proxy healthy, however much changes meanwhile", () => {
  const clock = createManualClock();
  const freshness = createFreshness({ clock, syncMs: 1_000 });
  for (let i = 0; i < 10; i++) {
    const began = clock.monotonic();
    clock.advance(500);
    freshness.queued();
    freshness.updated(began);
    assert.ok(freshness.isFresh);
  }
  clock.advance(1_500);
  assert.ok(!freshness.isFresh);
});

test("a service's health says how many endpoints are here", () => {
  const check = { service: "ns1/svc1", nodePort: 30_200, localEndpoints: 2 };
  const page: Page = checkPage(check, true);
  assert.equal(page.code, 200);
  assert.deepEqual(page.headers, { "X-Load-Balancing-Endpoint-Weight": "2" });
  const told = { service: { namespace: "ns1", name: "svc1" }, localEndpoints: 2, serviceProxyHealthy: true };
  assert.deepEqual(JSON.parse(page.body), told);
  assert.equal(checkPage({ ...check, localEndpoints: 0 }, true).code, 503);
  assert.equal(checkPage(check, false).code, 503);
});

test("ports of services open and close with them", async () => {
  const free = await servePages({ host: undefined, port: 0 }, () => ({ code: 200, type: "text/plain", body: "" }));
  const { port } = free;
  const failures: unknown[] = [];
  const checks = createServiceChecks({ isHealthy: () => true, onError: (error) => failures.push(error) });
  const wanted = { service: "a/b", nodePort: port, localEndpoints: 1 };
  try {
    await checks.serve([wanted]);
    assert.equal(failures.length, 1, "the port is taken");
    await free.stop();
    await checks.serve([wanted]);
    const get = () => fetch(`http://127.0.0.1:${port}/`);
    assert.equal((await get()).status, 200);
    await checks.serve([{ ...wanted, localEndpoints: 0 }]);
    assert.equal((await get()).status, 503);
    await checks.serve([]);
    await assert.rejects(get());
  } finally {
    await checks.stop();
  }
});
