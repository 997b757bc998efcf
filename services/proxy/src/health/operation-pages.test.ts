import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createProfiling } from "@orch/runtime/profiling/profiling.js";
import { createManualClock, settled } from "@orch/status/testing/manual-clock.js";
import { operationPages } from "./operation-pages.js";
import { notFound, servePages } from "./page-server.js";

const clock = createManualClock();

async function serve(t: TestContext, isProfiled: boolean) {
  const pages = operationPages({
    metrics: async () => "up 1\n",
    mode: "iptables",
    configText: "kind: Any\n",
    health: () => ({ ...notFound, code: 503 }),
    profiling: isProfiled ? createProfiling({ clock, argv: ["orch-proxy"] }) : undefined,
  });
  const server = await servePages({ host: "127.0.0.1", port: 0 }, pages);
  t.after(() => server.stop());
  return async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { Connection: "close" } });
    return [response.status, await response.text()] as const;
  };
}

test("metrics, mode and configuration are told, profiles only where they are enabled", async (t) => {
  const ask = await serve(t, false);
  assert.deepEqual(await ask("/metrics"), [200, "up 1\n"]);
  assert.deepEqual(await ask("/proxyMode"), [200, "iptables"]);
  assert.deepEqual(await ask("/configz"), [200, "kind: Any\n"]);
  assert.equal((await ask("/healthz"))[0], 503);
  assert.deepEqual(await ask("/debug/pprof/cmdline"), [404, "404 page not found\n"]);
  const profiled = await serve(t, true);
  assert.deepEqual(await profiled("/debug/pprof/cmdline"), [200, "orch-proxy"]);
  const heap = profiled("/debug/pprof/heap?seconds=2");
  while (clock.waiting() === 0) await settled();
  clock.advance(2_000);
  assert.equal((await heap)[0], 200);
});
