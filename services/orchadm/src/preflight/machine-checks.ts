import type { JoinConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { hostAndPort } from "@orch/component-config/rules-of-addresses.js";
import type { Naming } from "@orch/naming/naming.js";
import type { InitContext } from "../init/context.js";
import { etcdHost, ports } from "../manifests/components.js";
import { localAddress, type Site } from "../site.js";
import type { Tools } from "../world.js";
import {
  fileAvailable,
  folderEmpty,
  knownRelease,
  portFree,
  privileged,
  programExists,
  proxyProgram,
  reachableName,
  size,
} from "./checks.js";
import { externalEtcdFiles, externalEtcdVersion } from "./external-etcd.js";
import { directHost, directNetworks, forwarding } from "./network-checks.js";
import type { Check } from "./preflight.js";

/** `OrchVersion`, `KubernetesVersion` */
function releaseCheck(naming: Naming): string {
  const word = naming.configurationWord("orchVersion");
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** What a machine needs to become one of the control plane; `downloads` the certificates that it shares. */
export function controlPlaneChecks(
  site: Site,
  { etcdProgram, downloads }: { readonly etcdProgram: string; readonly downloads: boolean },
): readonly Check[] {
  const { tools, paths, cluster, member } = site;
  const { machine, environment } = tools;
  const own = localAddress(member);
  const address = member.advertiseAddress;
  const { local, external } = cluster.etcd;
  const { serviceSubnet, podSubnet } = cluster.networking;
  const components = ["apiserver", "controller-manager", "scheduler", "etcd"] as const;
  return [
    privileged(machine),
    ...size,
    ...nameChecks({ tools, member }),
    knownRelease(releaseCheck(tools.naming), cluster.orchVersion, tools.version),
    portFree(address, member.bindPort),
    portFree(own, ports.scheduler),
    portFree(own, ports.controllerManager),
    ...components.map((component) => fileAvailable(machine, paths.manifest(component))),
    directHost(address, environment),
    ...directNetworks(serviceSubnet, environment),
    ...directNetworks(podSubnet, environment),
    ...agentChecks(site),
    ...(external === undefined || downloads ? [] : externalEtcdFiles(machine, external)),
    ...(local === undefined
      ? []
      : [
          portFree(etcdHost(site), ports.etcdClients),
          portFree(address, ports.etcdPeers),
          folderEmpty(machine, local.dataDir),
          programExists("etcd", etcdProgram, environment["PATH"] ?? ""),
        ]),
  ];
}

/** What the first machine of a cluster needs besides: nobody else has looked at it yet. */
export function firstMachineChecks({ tools, cluster, member, init, proxy }: FirstMachine): readonly Check[] {
  const { serviceSubnet, podSubnet } = cluster.networking;
  const { external } = cluster.etcd;
  const searched = tools.environment["PATH"] ?? "";
  return [
    ...(cluster.proxy.disabled ? [] : [proxyProgram(proxy?.mode ?? "", searched)]),
    ...forwardingChecks(tools, init.nodeRegistration, [serviceSubnet, podSubnet, member.advertiseAddress]),
    ...(external === undefined ? [] : [externalEtcdVersion(external, tools)]),
  ];
}

type FirstMachine = Pick<InitContext, "tools" | "cluster" | "member" | "init" | "proxy">;

/** What every machine needs that joins, before it knows anything of the cluster. */
export function joiningChecks({ tools, paths, join }: JoiningMachine): readonly Check[] {
  const { machine, environment } = tools;
  const server = join.discovery.bootstrapToken?.apiServerEndpoint ?? "";
  const host = hostAndPort(server)?.host;
  return [
    ...[paths.clientConfig("agent"), paths.clientConfig("bootstrap-agent")].map((path) => fileAvailable(machine, path)),
    ...(host === undefined
      ? []
      : [directHost(host, environment), ...forwardingChecks(tools, join.nodeRegistration, [host])]),
  ];
}

interface JoiningMachine extends Pick<Site, "tools" | "paths"> {
  readonly join: JoinConfiguration;
}

/** What a machine needs that joins as a node alone. */
export const workerChecks = (site: JoiningMachine & Pick<Site, "member">): readonly Check[] => [
  privileged(site.tools.machine),
  ...nameChecks(site),
  fileAvailable(site.tools.machine, site.join.caCertPath),
  ...agentChecks(site),
];

/** Machines that are played below other roots are known to nobody by their names. */
const nameChecks = ({ tools, member }: Pick<Site, "tools" | "member">): readonly Check[] =>
  tools.machine.root === "" ? [reachableName(member.name, tools.clock)] : [];

/**
 * Whether packets pass. A machine that is played below another root has the kernel of the one that it is played on, and
 * without a container runtime no pods, so that it may do without.
 */
const forwardingChecks = (
  { machine }: Pick<Tools, "machine">,
  { criSocket }: { readonly criSocket: string },
  addresses: readonly string[],
): readonly Check[] => (machine.root === "" ? forwarding({ machine, addresses, isNeeded: criSocket !== "" }) : []);

/** What the agent of a node needs. */
export const agentChecks = ({ tools, paths, member }: Pick<Site, "tools" | "paths" | "member">): readonly Check[] => [
  portFree(member.advertiseAddress, ports.agent),
  fileAvailable(tools.machine, paths.manifest("agent")),
];
