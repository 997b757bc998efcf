import { isRecord } from "@orch/client/objects.js";
import type { Cluster } from "../cluster.js";
import { collections } from "../cluster.js";
import { clientUrl, peerUrl } from "../manifests/components.js";
import { namesOf } from "../objects/names.js";
import type { Site } from "../site.js";
import { type EtcdCluster, etcdCluster } from "./etcd-client.js";

/** The members of etcd beside which a machine's own is, reached by this machine's certificates. */
export function openEtcd(site: Pick<Site, "tools" | "cluster">, endpoints: readonly string[]): EtcdCluster {
  const { machine } = site.tools;
  const file = (name: string): string => machine.read(`${site.cluster.certificatesDir}/${name}`);
  return etcdCluster(endpoints, {
    ca: file("etcd/ca.crt"),
    certificate: file("etcd/healthcheck-client.crt"),
    key: file("etcd/healthcheck-client.key"),
  });
}

/** Where members of etcd serve their clients: on every machine of the control plane. */
export async function etcdEndpoints(
  api: Cluster,
  { tools }: Pick<Site, "tools">,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { controlPlaneRole } = namesOf(tools.naming);
  const { items } = await api.client.list(collections.nodes, {
    labelSelector: controlPlaneRole,
    ...(signal === undefined ? {} : { signal }),
  });
  const addresses = items.flatMap(({ status }) => {
    const list: unknown = isRecord(status) ? status["addresses"] : undefined;
    const internal = (Array.isArray(list) ? list.filter(isRecord) : []).find(({ type }) => type === "InternalIP");
    return typeof internal?.["address"] === "string" ? [internal["address"]] : [];
  });
  return addresses.map(clientUrl);
}

/** Takes a machine's member in, unless it is there; gives the start of its cluster: `name=https://…,…`. */
export async function addOwnMember(etcd: EtcdCluster, { member }: Pick<Site, "member">): Promise<string> {
  const own = peerUrl(member.advertiseAddress);
  const before = await etcd.members();
  const members = before.some(({ peerUrls }) => peerUrls.includes(own)) ? before : await etcd.addLearner(own);
  return members
    .flatMap(({ name, peerUrls }) =>
      // One that has not started yet has no name: the machine's own, or one that never will.
      peerUrls.filter((url) => name !== "" || url === own).map((url) => `${url === own ? member.name : name}=${url}`),
    )
    .join(",");
}

/** Lets a machine's member vote; throws until it has caught up. */
export async function promoteOwnMember(etcd: EtcdCluster, { member }: Pick<Site, "member">): Promise<void> {
  const own = peerUrl(member.advertiseAddress);
  const found = (await etcd.members()).find(({ peerUrls }) => peerUrls.includes(own));
  if (found === undefined) throw new Error(`${own} is no member of etcd`);
  if (found.isLearner) await etcd.promote(found.id);
}
