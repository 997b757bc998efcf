import type { ClientConfig } from "@orch/client/config.js";
import { serviceAccountCredentials } from "@orch/client/credentials/service-account-credentials.js";
import { type Client, type ClientOptions, createClient } from "@orch/client/http/http.js";
import type { Naming } from "@orch/naming/naming.js";
import { accountNames, type ControllerName } from "./controller.js";

export interface ControllerClients {
  /** The same one for controllers that share an account. */
  clientFor(controller: ControllerName): Client;
  close(): Promise<void>;
}

/** Clients of which each acts as the service account of its controller, with tokens that `client` asks for. */
export function createControllerClients(options: {
  /** How the server is reached; as whom stands aside. */
  readonly config: ClientConfig;
  readonly client: Client;
  readonly naming: Naming;
  readonly connection: ClientOptions;
  readonly now: () => number;
}): ControllerClients {
  const { client, naming, connection, now } = options;
  const { token: _token, basic: _basic, certificate: _certificate, key: _key, ...rest } = options.config;
  const { impersonate: _impersonate, ...server } = rest;
  const namespace = naming.systemName("system");
  const clients = new Map<string, Client>();
  return {
    clientFor(controller) {
      const name = accountNames[controller];
      if (name === undefined) return client;
      const credentials = serviceAccountCredentials({ client, naming, namespace, name, now });
      const own = clients.get(name) ?? createClient({ ...server, credentials }, connection);
      clients.set(name, own);
      return own;
    },
    async close() {
      await Promise.all([...clients.values()].map((own) => own.close()));
    },
  };
}
