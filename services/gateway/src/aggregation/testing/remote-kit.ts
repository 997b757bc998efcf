import type { TestContext } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { dialDirectly } from "@orch/outbound/dial.js";
import { createServiceAddresses } from "@orch/outbound/service-addresses.js";
import { systemClock } from "@orch/runtime/clock.js";
import { createApiServices } from "../api-services.js";
import { createServiceViews } from "../service-views.js";
import { createUpstream } from "../upstream.js";
import { authority, userHeaders } from "./backend.js";
import { createTestCluster } from "./cluster.js";

export const group = "ext.example.com";
export const apiName = `v1.${group}`;

/** What asks servers of others for itself, over a cluster in memory. */
export function remoteKit(t: TestContext) {
  const naming = createNaming("kubernetes");
  const cluster = createTestCluster();
  const services = createApiServices();
  const views = createServiceViews(cluster.objects, naming);
  const upstream = createUpstream({ dial: dialDirectly, pair: () => undefined });
  t.after(() => upstream.close());
  const resolve = createServiceAddresses(views, { random: () => 0, prefer: "clusterAddress" });
  const following = cluster.objects.follow({ group: "", version: "v1", resource: "apiservices" }, services.follower);
  t.after(() => following.stop());
  return {
    ...{ naming, cluster, services, views, resolve, clock: systemClock },
    requests: { upstream, naming, userHeaders },
    /** An APIService whose Service leads to a port of this machine. */
    register(port: number, { ca = authority.certificate, available = false } = {}): void {
      const status = { conditions: [{ type: "Available", status: "True", reason: "Passed", message: "" }] };
      cluster.put("apiservices", {
        metadata: { name: apiName },
        spec: {
          ...{ group, version: "v1", groupPriorityMinimum: 100, versionPriority: 10 },
          ...{ caBundle: Buffer.from(ca).toString("base64"), service: { namespace: "ns", name: "svc", port } },
        },
        ...(available ? { status } : {}),
      });
    },
    /** That Service. */
    expose(): void {
      cluster.put("services", {
        metadata: { namespace: "ns", name: "svc" },
        spec: { type: "ExternalName", externalName: "127.0.0.1" },
      });
    },
  };
}
