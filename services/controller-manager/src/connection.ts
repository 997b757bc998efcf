import type { ClientObserver, ClientOptions } from "@orch/client/http.js";
import type { Naming } from "@orch/naming/naming.js";

/** How controllers talk to the server: one connection for all watches, few for everything else. */
export function connectionOf(naming: Naming, observer: ClientObserver | undefined): ClientOptions {
  return { userAgent: naming.systemName("controller-manager"), multiplexed: true, connections: 8, observer };
}

/** Name of the user that they are. */
export function controllerUser(naming: Naming): string {
  return `system:${naming.systemName("controller-manager")}`;
}
