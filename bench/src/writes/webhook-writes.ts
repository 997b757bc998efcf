import { startWebhookServer } from "@orch/e2e/harness/servers/webhook-server.js";
import { againstCpu } from "../compared.js";
import { once, sleep } from "../load/load.js";
import { configMap, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import type { Target } from "../targets.js";
import { create, measuringCreates } from "./creates.js";

export interface WebhookWrites {
  readonly timing: Timing;
  readonly connections: readonly number[];
  /** `/apis/admissionregistration.…/v1`, of the dialect that the target speaks. */
  readonly root: string;
}

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string };
}

/**
 * Creates of ConfigMaps that no webhook is asked about, and of those that a validating one and a mutating one are; beside
 * each of these as many a second without it, since a server that has less to do groups less and spends more on each. The
 * webhooks are in this process: what they use is not in the figures.
 */
export async function* benchWebhookWrites(
  target: Target,
  { timing, connections, root }: WebhookWrites,
): AsyncGenerator<Row> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  const webhook = await startWebhookServer<Review>();
  const patch = Buffer.from('[{"op":"add","path":"/data/webhook","value":"1"}]').toString("base64");
  webhook.react(({ path, body: { kind, apiVersion, request } }) => {
    webhook.asked.length = 0;
    const patched = path.startsWith("/mutating") ? { patchType: "JSONPatch", patch } : {};
    return { json: { kind, apiVersion, response: { uid: request.uid, allowed: true, ...patched } } };
  });
  await create(endpoint, "/api/v1/namespaces", { metadata: { name: "webhooks" } });
  const measure = measuringCreates(target, timing);
  const path = "/api/v1/namespaces/webhooks/configmaps";
  const creates = (operation: string, count: number) => ({ operation, connections: count, path, body: configMap });
  try {
    for (const count of connections) yield await measure(creates("create ConfigMap, no webhook", count));
    for (const type of ["validating", "mutating"]) {
      const configurations = `${root}/${type}webhookconfigurations`;
      await create(endpoint, configurations, {
        metadata: { name: "bench" },
        webhooks: [
          {
            name: "bench.example.com",
            clientConfig: { url: webhook.url(`/${type}`), caBundle: webhook.caBundle },
            rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
            ...{ admissionReviewVersions: ["v1"], sideEffects: "None" },
          },
        ],
      });
      await sleep(1500);
      const asked: Row[] = [];
      for (const count of connections) asked.push(await measure(creates(`create ConfigMap, 1 ${type} webhook`, count)));
      await once(endpoint, { method: "DELETE", path: `${configurations}/bench` });
      await sleep(1500);
      for (const row of asked) {
        const paced = creates("create ConfigMap, no webhook, as many a second", row.connections);
        const floor = await measure({ ...paced, mostPerSecond: row.perSecond });
        yield floor;
        yield againstCpu(row, floor);
      }
    }
  } finally {
    await webhook.close();
  }
}
