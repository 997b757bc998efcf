import type { ConnectionOptions } from "node:tls";
import type { WebhookConnection } from "@orch/auth/authorization-config/authorization-config.js";
import type { Post } from "@orch/auth/webhook/ask.js";
import type { ClientConfig } from "@orch/client/config.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { WebhookClient } from "./webhook-client.js";

export interface Webhook {
  readonly post: Post;
  /** Who answers. */
  readonly address: string;
}

/** Connections to webhooks, closed together. */
export interface Webhooks {
  /** @throws Error of any sort for a configuration that leads nowhere */
  connect(connection: WebhookConnection): Promise<Webhook>;
  close(): Promise<void>;
}

export interface WebhooksDeps {
  readonly naming: Naming;
  readonly clock: Clock;
  /** Of this process: a pod learns there where its cluster's server is. */
  readonly environment: Environment;
  /** Where a pod finds its token; the place that the interface names where absent. */
  readonly accountFolder?: string;
  readonly egress?: Egress | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const open: WebhookClient[] = [];
  return {
    async connect(connection) {
      // Loaded where there is a webhook: HTTP clients take a quarter of a second of every other start.
      const { webhookClient } = await import("./webhook-client.js");
      const config = await clientConfig(connection, deps);
      const client = webhookClient(config, { now: deps.clock.now, connector: await connectorOf(deps) });
      open.push(client);
      return { post: client.post, address: config.server };
    },
    async close() {
      await Promise.all(open.map((client) => client.close()));
    },
  };
}

/** Webhooks of the server itself are reached as the control plane is. */
async function connectorOf({ egress }: WebhooksDeps) {
  const dial = egress?.through("controlplane");
  if (dial === undefined) return undefined;
  const { connectorBy } = await import("@orch/outbound/egress/connector.js");
  return (tls: ConnectionOptions) => connectorBy(dial, tls);
}

async function clientConfig(connection: WebhookConnection, deps: WebhooksDeps): Promise<ClientConfig> {
  if (connection.type === "KubeConfigFile") {
    const { readClientConfig } = await import("@orch/client/config.js");
    return readClientConfig(connection.path);
  }
  const { naming, clock, environment } = deps;
  const { inClusterConfig, serviceAccountFolder } = await import("@orch/client/in-cluster.js");
  const folder = deps.accountFolder ?? serviceAccountFolder(naming);
  return inClusterConfig({ naming, tools: { clock, environment }, folder });
}
