import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createDiscovery } from "@orch/client/discovery.js";
import { createMirror } from "@orch/client/mirror.js";
import type { Naming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/runtime/clock.js";
import { silentLog } from "@orch/runtime/log.js";
import type { Controller } from "../controller.js";
import { createInformers } from "../rim/informers.js";
import type { ControllerTools } from "../tools.js";
import type { MemoryServer } from "./memory-client.js";

/** What controllers are given, over a server in memory; failures are counted. */
export function memoryTools(
  { client }: MemoryServer,
  naming: Naming,
): ControllerTools & { readonly failures: () => number } {
  let failures = 0;
  const mirror = createMirror({ client, naming, clock: systemClock, random: () => 0 });
  const nothing = (): void => {};
  const observer = { added: nothing, retried: nothing, depth: nothing, waited: nothing, began: () => nothing };
  return {
    client,
    naming,
    discovery: createDiscovery(client, naming),
    mirror,
    informers: createInformers({ mirror, naming }),
    clock: systemClock,
    random: () => 0,
    log: silentLog,
    telemetry: {
      queue: () => observer,
      failed: () => void failures++,
      collected: nothing,
      graphSize: nothing,
      leading: nothing,
      countVolumes: nothing,
      countDeviceClaims: nothing,
      deviceClaimMade: nothing,
    },
    failures: () => failures,
  };
}

/** Runs it until the test ends. */
export function runController(t: TestContext, controller: Controller): void {
  const abort = new AbortController();
  const running = controller.run(abort.signal);
  t.after(async () => {
    abort.abort();
    await running;
  });
}

/** Resolves once it holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (holds()) return;
    await pause(5);
  }
  assert.fail(`still not: ${what}`);
}
