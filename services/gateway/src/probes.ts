import type { Peers } from "@orch/rpc/group-peers.js";
import type { StatusReply, StatusRequest } from "@orch/rpc/messages.js";
import { resourceStatus, watchCacheStatus } from "@orch/rpc/methods.js";
import type { Caller, UnaryMethod } from "@orch/rpc/rpc.js";
import { startUpHooks } from "@orch/rpc/start-up-hooks.js";
import type { Health } from "@orch/runtime/health.js";
import { ApiError } from "@orch/status/api-error.js";

export interface ProbeDeps {
  readonly health: Health;
  readonly caches: Peers;
  readonly resources: Peers;
}

const probeMs = 2_000;
const pollMs = 50;

/**
 * Ties the health checks of rules (Health endpoints, 4) to what they name: the store through the resource
 * services that write to it, the post-start hooks to what must have run before requests are served.
 */
export function registerProbes({ health, caches, resources }: ProbeDeps): { start(): void; stop(): void } {
  health.check("store", () => firstReason(resources.all, resourceStatus, { mustBeReady: false }));
  // Only readyz shows this: a store without space is no reason to restart the gateway.
  health.check("store-space", () => firstReason(resources.all, resourceStatus, { mustBeReady: false, whole: true }), {
    healthz: false,
    livez: false,
  });
  health.check("watch-cache", () => firstReason(caches.all, watchCacheStatus, { mustBeReady: true }), { livez: false });
  const informersStarted = health.postStartHook("generic-apiserver-start-informers");
  const bootstrapped = health.postStartHook("bootstrap-controller");
  const hooks = new Map<string, () => void>(startUpHooks.map((hook) => [hook, health.postStartHook(hook)]));
  let stopped = false;
  const untilDone = async (look: () => Promise<boolean>): Promise<void> => {
    while (!stopped && !(await look())) await new Promise((resolve) => setTimeout(resolve, pollMs));
  };
  const cachesHaveStarted = async (): Promise<boolean> => {
    if ((await firstReason(caches.all, watchCacheStatus, { mustBeReady: true })) !== undefined) return false;
    informersStarted();
    return true;
  };
  const resourcesHaveStarted = async (): Promise<boolean> => {
    const replies = await Promise.all(resources.all.map(statusOf));
    const unfinished = new Set(replies.flatMap((reply) => reply?.unfinished ?? startUpHooks));
    for (const [hook, finish] of hooks) {
      if (unfinished.has(hook)) continue;
      finish();
      hooks.delete(hook);
    }
    if (!replies.every((reply) => reply?.ready)) return false;
    bootstrapped();
    return hooks.size === 0;
  };
  return {
    start() {
      void untilDone(cachesHaveStarted);
      void untilDone(resourcesHaveStarted);
    },
    stop() {
      stopped = true;
    },
  };
}

/** Undefined for a service that does not answer. */
async function statusOf(resource: Caller): Promise<StatusReply | undefined> {
  try {
    return await resource.call(resourceStatus, {}, { deadlineMs: probeMs });
  } catch {
    return undefined;
  }
}

type StatusMethod = UnaryMethod<StatusRequest, StatusReply>;

async function firstReason(
  peers: readonly Caller[],
  method: StatusMethod,
  options: { readonly mustBeReady: boolean; readonly whole?: boolean },
): Promise<string | undefined> {
  for (const peer of peers) {
    try {
      const { ready, message } = await peer.call(method, {}, { deadlineMs: probeMs });
      if (options.mustBeReady && !ready) return message;
      if (options.whole === true && ready && message !== "") return message;
    } catch (error) {
      return ApiError.from(error).message;
    }
  }
  return undefined;
}
