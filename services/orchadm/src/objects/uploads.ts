import type { ClusterConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { serviceAddress } from "../certificates/service-address.js";
import { type Cluster, collections } from "../cluster.js";
import { componentKinds } from "../configuration/read-file.js";
import { newestText } from "../configuration/stored.js";
import { pathsOf } from "../machine/paths.js";
import type { Tools } from "../world.js";
import { namesOf } from "./names.js";
import { accessRules, groupNamed } from "./rbac.js";

/** What a machine that joins is told of the cluster. */
export async function uploadClusterConfiguration(
  cluster: Cluster,
  value: ClusterConfiguration,
  tools: Tools,
): Promise<void> {
  const names = namesOf(tools.naming);
  await ensureMap(cluster, {
    ...{ namespace: names.systemNamespace, name: names.clusterConfiguration },
    data: { ClusterConfiguration: newestText(value, tools) },
  });
  await readableByNodes(cluster, tools, {
    name: `${names.program}:nodes-${names.clusterConfiguration}`,
    map: names.clusterConfiguration,
  });
}

/** What the agents of all nodes go by. */
export async function uploadAgentConfiguration(cluster: Cluster, text: string, tools: Tools): Promise<void> {
  const names = namesOf(tools.naming);
  await ensureMap(cluster, {
    ...{ namespace: names.systemNamespace, name: names.agentConfiguration },
    data: { [names.agentKey]: text },
  });
  await readableByNodes(cluster, tools, {
    name: `${names.program}:${names.agentConfiguration}`,
    map: names.agentConfiguration,
  });
}

async function readableByNodes(
  cluster: Cluster,
  { naming }: Tools,
  { name, map }: { readonly name: string; readonly map: string },
): Promise<void> {
  const names = namesOf(naming);
  await accessRules(cluster, naming).role(
    names.systemNamespace,
    name,
    [{ verbs: ["get"], resources: ["configmaps"], resourceNames: [map] }],
    [groupNamed(names.bootstrappers), groupNamed(names.nodes)],
  );
}

export interface NamedMap {
  readonly namespace: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

export const ensureMap = (cluster: Cluster, { namespace, name, data }: NamedMap): Promise<void> =>
  cluster.ensure(collections.configMaps(namespace), {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data },
  });

/** The configuration that every node's agent of this cluster has: what a file gives, and the cluster's own in the rest. */
export function agentConfigurationText(
  cluster: ClusterConfiguration,
  given: JsonObject | undefined,
  tools: Tools,
): string {
  const { agent } = componentKinds(tools);
  const { dnsDomain, serviceSubnet } = cluster.networking;
  const dns = serviceAddress(serviceSubnet.split(",")[0] ?? "", 10);
  const wanted = agent.fill(given ?? {});
  return agent.print({
    ...wanted,
    clusterDNS: wanted.clusterDNS.length > 0 ? wanted.clusterDNS : [dns],
    clusterDomain: wanted.clusterDomain || dnsDomain,
    staticPodPath: wanted.staticPodPath || pathsOf(tools.naming).manifests,
    rotateCertificates: true,
    // Who reaches an agent is the cluster's matter: a file cannot open it.
    authentication: {
      ...wanted.authentication,
      x509: { clientCAFile: `${cluster.certificatesDir}/ca.crt` },
      webhook: { ...wanted.authentication.webhook, enabled: true },
      anonymous: { enabled: false },
    },
    authorization: { ...wanted.authorization, mode: "Webhook" },
  });
}
