import type { TokenEntry } from "@orch/auth/token-file.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Client, ClientObserver } from "@orch/client/client.js";
import type { Transport } from "@orch/client/http/transport.js";
import type { Naming } from "@orch/naming/naming.js";
import { connectionOf } from "@orch/service-controller-manager/connection.js";
import { type OfControllers, perController } from "./controller-identities.js";
import type { Reach } from "./controllers.js";

/** A server of this process's own, as its clients name it. */
export interface ServerAt {
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly naming: Naming;
}

/** Through a gateway of this process: what clients of the network do, without the network. */
export function reachWithin(
  users: OfControllers<UserInfo>,
  { naming }: Pick<ServerAt, "naming">,
  transportAs: (user: UserInfo) => Transport,
): Reach {
  return reachOf(users, async (observer) => {
    const { createClientOver } = await import("@orch/client/client.js");
    const options = connectionOf(naming, observer);
    return (user) => createClientOver(transportAs(user), options);
  });
}

/** Over HTTPS, where the gateways are other processes. */
export function reachOver(tokens: OfControllers<TokenEntry>, { server, ca, naming }: ServerAt): Reach {
  // The certificate has this name whatever the address is.
  const config = { server, ca, tlsServerName: "localhost", insecureSkipTlsVerify: false, namespace: "default" };
  return reachOf(tokens, async (observer) => {
    const { createClient } = await import("@orch/client/http/http.js");
    const options = connectionOf(naming, observer);
    return ({ token }) => createClient({ ...config, token }, options);
  });
}

function reachOf<T>(
  identities: OfControllers<T>,
  connect: (observer: ClientObserver) => Promise<(identity: T) => Client>,
): Reach {
  return {
    clients: async (observer) => perController(identities, await connect(observer)),
    ownClient: async (observer) => (await connect(observer))(identities.own),
    async clientOf(account, observer) {
      const identity = identities.ofAccounts.get(account);
      if (identity === undefined) throw new TypeError(`no identity has the account ${account}`);
      return (await connect(observer))(identity);
    },
  };
}
