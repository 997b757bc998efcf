import type { Naming } from "@orch/naming/naming.js";
import { etcdHost, ports } from "../manifests/components.js";
import { localAddress, type Site } from "../site.js";
import {
  fileAvailable,
  folderEmpty,
  knownRelease,
  portFree,
  privileged,
  programExists,
  reachableName,
  size,
} from "./checks.js";
import type { Check } from "./preflight.js";

/** `OrchVersion`, `KubernetesVersion` */
function releaseCheck(naming: Naming): string {
  const word = naming.configurationWord("orchVersion");
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

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
    // Machines that are played below other roots are known to nobody by their names.
    ...(machine.root === "" ? [reachableName(member.name, tools.clock)] : []),
    knownRelease(releaseCheck(tools.naming), cluster.orchVersion, tools.version),
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
