import { etcdHost, ports } from "../manifests/components.js";
import { localAddress, type Site } from "../site.js";
import { fileAvailable, folderEmpty, portFree, privileged, programExists, size } from "./checks.js";
import type { Check } from "./preflight.js";

/** What a machine needs to become one of the control plane. */
export function controlPlaneChecks(site: Site, etcdProgram: string): readonly Check[] {
  const { tools, paths, cluster, member } = site;
  const { machine } = tools;
  const own = localAddress(member);
  const address = member.advertiseAddress;
  const { local } = cluster.etcd;
  const components = ["apiserver", "controller-manager", "scheduler", "etcd"] as const;
  return [
    privileged(machine),
    ...size,
    portFree(address, member.bindPort),
    portFree(own, ports.scheduler),
    portFree(own, ports.controllerManager),
    ...components.map((component) => fileAvailable(machine, paths.manifest(component))),
    ...agentChecks(site),
    ...(local === undefined
      ? []
      : [
          portFree(etcdHost(site), ports.etcdClients),
          portFree(address, ports.etcdPeers),
          folderEmpty(machine, local.dataDir),
          programExists("etcd", etcdProgram, tools.environment["PATH"] ?? ""),
        ]),
  ];
}

/** What the agent of a node needs. */
export const agentChecks = ({ tools, paths, member }: Pick<Site, "tools" | "paths" | "member">): readonly Check[] => [
  portFree(member.advertiseAddress, ports.agent),
  fileAvailable(tools.machine, paths.manifest("agent")),
];
