import type { ClientObserver, ClientOptions } from "@orch/client/http/http.js";
import type { Naming } from "@orch/naming/naming.js";

/** How controllers of a program talk to the server: one connection for all watches, few for everything else. */
export function connectionOf(
  naming: Naming,
  observer: ClientObserver | undefined,
  program = "controller-manager",
): ClientOptions {
  return { userAgent: naming.systemName(program), multiplexed: true, connections: 8, observer };
}

/** Name of the user that they are. */
export function controllerUser(naming: Naming): string {
  return `system:${naming.systemName("controller-manager")}`;
}
