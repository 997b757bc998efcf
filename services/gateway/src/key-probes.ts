import type { Peers } from "@orch/rpc/group-peers.js";
import type { HealthReply } from "@orch/rpc/kms-messages.js";
import { kmsHealth } from "@orch/rpc/methods.js";
import type { Health } from "@orch/runtime/health.js";

export interface KeyProbeDeps {
  readonly health: Health;
  /** They pass the question on to the service of keys, which does not speak to gateways. */
  readonly resources: Peers;
}

/** A plugin answers within its timeout, which is 3 s unless its configuration says otherwise. */
const probeMs = 10_000;
const pollMs = 200;

/**
 * The health checks of KMS plugins, under the names that the service of keys gives them once it answers. While that is away,
 * its last answer counts: everybody goes on with the keys at hand.
 */
export function registerKeyProbes({ health, resources }: KeyProbeDeps): { start(): void; stop(): void } {
  let stopped = false;
  let last: HealthReply["checks"] = [];
  const ask = async (): Promise<HealthReply | undefined> => {
    for (const resource of resources.all) {
      try {
        const reply = await resource.call(kmsHealth, {}, { deadlineMs: probeMs });
        last = reply.checks;
        return reply;
      } catch {
        // The next one may know.
      }
    }
    return undefined;
  };
  const begin = async (): Promise<void> => {
    let reply = await ask();
    while (reply === undefined && !stopped) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      reply = await ask();
    }
    if (reply === undefined || stopped) return;
    for (const { name } of reply.checks) {
      const reason = async (): Promise<string | undefined> => {
        await ask();
        return last.find((check) => check.name === name)?.reason || undefined;
      };
      health.check(name, reason, { livez: false });
    }
    if (reply.reloads) health.postStartHook("start-encryption-provider-config-automatic-reload")();
  };
  return {
    start: () => void begin(),
    stop() {
      stopped = true;
    },
  };
}
