import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Target } from "./target.js";

/** Our own client for one of the target's gateways, on connections of its own. */
export async function clientOf(target: Target, gateway = 0): Promise<Client> {
  const config = await readClientConfig(target.clientConfig);
  return createClient({ ...config, server: target.urls[gateway % target.urls.length] ?? config.server });
}

/** Whether a failure is one that a client must expect while processes are killed: nothing is said of the request. */
export function isOutage(error: unknown): error is ApiError {
  return error instanceof ApiError && outages.has(error.reason);
}

const outages = new Set(["ServiceUnavailable", "Timeout", "ServerTimeout"]);

export const clock = {
  monotonic: () => performance.now(),
  after(ms: number, run: () => void) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
