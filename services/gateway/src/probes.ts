import type { StatusReply, StatusRequest } from "@orch/rpc/messages.js";
import { resourceStatus, watchCacheStatus } from "@orch/rpc/methods.js";
import type { Caller, UnaryMethod } from "@orch/rpc/rpc.js";
import type { Health } from "@orch/runtime/health.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Peers } from "./peers.js";

export interface ProbeDeps {
  readonly health: Health;
  readonly caches: Peers;
  readonly resources: Peers;
  /** Why the log cannot be written; undefined while it can. */
  readonly logFailure: () => string | undefined;
}

const probeMs = 2_000;
const pollMs = 50;

/**
 * Ties the health checks of spec 1 (Health endpoints, 4) to what they name: the store through the resource
 * services that write to it, the post-start hooks to what must have run before requests are served.
 */
export function registerProbes({ health, caches, resources, logFailure }: ProbeDeps): { start(): void; stop(): void } {
  health.check("log", logFailure);
  health.check("store", () => firstReason(resources.all, resourceStatus, { mustBeReady: false }), { livez: false });
  health.check("watch-cache", () => firstReason(caches.all, watchCacheStatus, { mustBeReady: true }), { livez: false });
  const hooks = [
    { done: health.postStartHook("generic-apiserver-start-informers"), peers: caches.all, method: watchCacheStatus },
    { done: health.postStartHook("bootstrap-controller"), peers: resources.all, method: resourceStatus },
  ];
  let stopped = false;
  const poll = async ({ done, peers, method }: (typeof hooks)[number]): Promise<void> => {
    while (!stopped) {
      if ((await firstReason(peers, method, { mustBeReady: true })) === undefined) {
        done();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  };
  return {
    start() {
      for (const hook of hooks) void poll(hook);
    },
    stop() {
      stopped = true;
    },
  };
}

type StatusMethod = UnaryMethod<StatusRequest, StatusReply>;

async function firstReason(
  peers: readonly Caller[],
  method: StatusMethod,
  options: { readonly mustBeReady: boolean },
): Promise<string | undefined> {
  for (const peer of peers) {
    try {
      const { ready, message } = await peer.call(method, {}, { deadlineMs: probeMs });
      if (options.mustBeReady && !ready) return message;
    } catch (error) {
      return ApiError.from(error).message;
    }
  }
  return undefined;
}
