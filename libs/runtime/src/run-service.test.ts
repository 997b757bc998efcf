import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";

/** A real process, since signals are the subject: its service says what is done to it. */
function startService() {
  const here = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const source = `
    import { runInternalService } from ${here("./run-service.js")};
    import { createHealth } from ${here("./health.js")};
    import { createMetrics } from ${here("./metrics.js")};
    import { systemClock as clock } from ${here("./clock.js")};
    import { silentLog as log } from ${here("./log.js")};
    const say = (text) => process.stdout.write(text + "\\n");
    const values = { "bind-address": "127.0.0.1", "metrics-port": 0, "metrics-allowed-peers": [], "shutdown-delay-duration": 0 };
    const health = createHealth({ clock });
    const tools = { log, clock, health, metrics: createMetrics({ release: "1.32", processMetrics: false }) };
    await runInternalService({ tools, values, tls: undefined,
      start: async () => ({ rpc: 4711 }),
      shuttingDown: () => say("leaves"),
      stop: async () => say((await health.answer("readyz", {})).code) });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator](), ended: once(child, "exit") };
}

test("a service says where it serves, answers probes, and stops after readiness has fallen", async () => {
  const { child, lines, ended } = startService();
  const line: string = (await lines.next()).value;
  const [, port] = /^rpc=127\.0\.0\.1:4711 metrics=127\.0\.0\.1:(\d+)$/.exec(line) ?? assert.fail(line);
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { Connection: "close" } })).status, 200);
  child.kill("SIGTERM");
  assert.equal((await lines.next()).value, "leaves");
  assert.equal((await lines.next()).value, "500");
  assert.deepEqual(await ended, [0, null]);
});
