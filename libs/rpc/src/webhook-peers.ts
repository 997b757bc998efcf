import { unavailable } from "@orch/status/api-error.js";
import { type ConnectOptions, connect } from "./link/grpc-client.js";
import type { Caller } from "./rpc.js";

/** The services that call webhooks, by the addresses of a flag; without any, whatever needs a webhook fails. */
export function webhookPeers(
  addresses: readonly string[],
  options: Pick<ConnectOptions, "log" | "security">,
): Pick<Caller, "call" | "close"> {
  if (addresses.length === 0) {
    const none = (): Promise<never> =>
      Promise.reject(unavailable("no service that calls webhooks is configured (--admission-servers)"));
    return { call: none, close: () => Promise.resolve() };
  }
  return connect({ target: addresses.join(","), ...options });
}
