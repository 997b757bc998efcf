import type { WebhookConnection } from "@orch/auth/authorization-config/authorization-config.js";
import type { Post } from "@orch/auth/webhook/ask.js";
import type { Clock } from "@orch/runtime/clock.js";
import { ConfigurationError } from "./configuration.js";
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

export function createWebhooks(clock: Pick<Clock, "now">): Webhooks {
  const open: WebhookClient[] = [];
  return {
    async connect(connection) {
      if (connection.type !== "KubeConfigFile") {
        throw new ConfigurationError("a webhook of the cluster itself is not available in this build: name a file");
      }
      // Loaded where there is a webhook: HTTP clients take a quarter of a second of every other start.
      const [{ readClientConfig }, { webhookClient }] = await Promise.all([
        import("@orch/client/config.js"),
        import("./webhook-client.js"),
      ]);
      const config = await readClientConfig(connection.path);
      const client = webhookClient(config, { now: clock.now });
      open.push(client);
      return { post: client.post, address: config.server };
    },
    async close() {
      await Promise.all(open.map((client) => client.close()));
    },
  };
}
