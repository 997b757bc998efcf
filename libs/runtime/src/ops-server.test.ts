import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { type TestContext, test } from "node:test";
import { createManualClock, settled } from "@orch/status/testing/manual-clock.js";
import { createHealth } from "./health.js";
import { createMetrics } from "./metrics.js";
import { createOpsServer } from "./ops-server.js";
import { createProfiling } from "./profiling/profiling.js";

async function started(t: TestContext, profiles: boolean) {
  const clock = createManualClock();
  const values = { "bind-address": "127.0.0.1", "metrics-port": 0, "metrics-allowed-peers": [] };
  const server = createOpsServer(values, {
    health: createHealth({ clock }),
    metrics: createMetrics({ release: "1.32", processMetrics: false }),
    tls: undefined,
    profiling: profiles ? createProfiling({ clock, argv: ["a", "b"] }) : undefined,
  });
  await server.start();
  t.after(() => server.stop());
  const ask = (path: string) => get({ host: "127.0.0.1", port: server.port, path, agent: false });
  const answer = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { Connection: "close" } });
    return `${response.status} ${response.headers.get("content-type")} ${await response.text()}`;
  };
  return { clock, ask, answer, server };
}

test("profiles are served beside metrics, where they are wanted", async (t) => {
  const on = await started(t, true);
  assert.equal(await on.answer("/debug/pprof/cmdline"), "200 text/plain; charset=utf-8 a\0b");
  assert.equal(await on.answer("/debug/pprof/trace"), "404 text/plain; charset=utf-8 Unknown profile\n");
  const off = await started(t, false);
  assert.equal(await off.answer("/debug/pprof/cmdline"), "404 text/plain; charset=utf-8 404 page not found\n");
});

test("a profile is given up when its client hangs up, and when the server stops", async (t) => {
  const { clock, ask, server } = await started(t, true);
  const waits = async (timers: number): Promise<void> => {
    while (clock.waiting() !== timers) await settled();
  };
  const first = ask("/debug/pprof/heap?seconds=300").on("error", () => {});
  await waits(1);
  first.destroy();
  await waits(0);
  const second = ask("/debug/pprof/profile?seconds=300");
  await waits(1);
  const failed = once(second, "error");
  await server.stop();
  await failed;
  await waits(0);
});
