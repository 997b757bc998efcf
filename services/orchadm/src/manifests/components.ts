import type { ClusterConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { unitName } from "../machine/paths.js";
import { hostPort, localAddress, type Site } from "../site.js";
import { type Argument, argumentsOf, authorizationModes, commandOf, withExtra } from "./arguments.js";
import type { UnitPod, Volume } from "./pod.js";

/** Ports of components on a machine. */
export const ports = {
  etcdClients: 2379,
  etcdPeers: 2380,
  etcdHealth: 2381,
  controllerManager: 10_257,
  scheduler: 10_259,
  agent: 10_250,
  agentHealth: 10_248,
} as const;

type Extras = Pick<ClusterConfiguration["scheduler"], "extraArgs" | "extraEnvs" | "extraVolumes">;

/** Path of a file as processes see it. */
const file = (site: Site, path: string): string => site.tools.machine.at(path);
const certificate = (site: Site, name: string): string => file(site, `${site.cluster.certificatesDir}/${name}`);
const program = ({ tools }: Site, word: string): readonly string[] => [
  tools.program.command,
  ...tools.program.args,
  word,
];
const imageOf = ({ cluster, tools: { naming } }: Site, part: string): string =>
  `${cluster.imageRepository}/${naming.systemName(part)}:${cluster.orchVersion}`;

function volumesOf(
  site: Site,
  { extraVolumes }: Pick<Extras, "extraVolumes">,
  own: readonly Volume[],
): readonly Volume[] {
  const certificates = file(site, site.cluster.certificatesDir);
  return [
    { name: "certs", hostPath: certificates, mountPath: certificates, readOnly: true, pathType: "DirectoryOrCreate" },
    ...own,
    ...extraVolumes,
  ];
}

/** A configuration file of a client that a component reads. */
function clientConfigVolume(site: Site, name: "controller-manager" | "scheduler"): Volume {
  const path = file(site, site.paths.clientConfig(name));
  return { name: "kubeconfig", hostPath: path, mountPath: path, readOnly: true, pathType: "FileOrCreate" };
}

export function apiserver(site: Site): UnitPod {
  const { cluster, member, tools } = site;
  const { extraArgs, extraEnvs } = cluster.apiServer;
  const { advertiseAddress, bindPort } = member;
  const isLoopback = advertiseAddress.startsWith("127.");
  const at = (name: string): string => certificate(site, name);
  const { dnsDomain, serviceSubnet } = cluster.networking;
  const ours = argumentsOf({
    "data-dir": file(site, `/var/lib/${tools.naming.systemName("apiserver")}`),
    "own-pki": "false",
    controllers: "",
    "api-dialect": tools.naming.dialect,
    // Nobody reaches a loopback address from elsewhere, and no Endpoints may tell it.
    "advertise-address": isLoopback ? undefined : advertiseAddress,
    "bind-address": isLoopback ? advertiseAddress : advertiseAddress.includes(":") ? "::" : "0.0.0.0",
    "secure-port": String(bindPort),
    "client-ca-file": at("ca.crt"),
    "enable-admission-plugins": "NodeRestriction",
    "enable-bootstrap-token-auth": "true",
    ...etcdFlags(site),
    "kubelet-client-certificate": at("apiserver-kubelet-client.crt"),
    "kubelet-client-key": at("apiserver-kubelet-client.key"),
    "kubelet-preferred-address-types": "InternalIP,ExternalIP,Hostname",
    "proxy-client-cert-file": at("front-proxy-client.crt"),
    "proxy-client-key-file": at("front-proxy-client.key"),
    "requestheader-allowed-names": "front-proxy-client",
    "requestheader-client-ca-file": at("front-proxy-ca.crt"),
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-username-headers": "X-Remote-User",
    "service-account-issuer": `https://${tools.naming.word("orch")}.default.svc.${dnsDomain}`,
    "service-account-key-file": at("sa.pub"),
    "service-account-signing-key-file": at("sa.key"),
    "service-cluster-ip-range": serviceSubnet,
    "tls-cert-file": at("apiserver.crt"),
    "tls-private-key-file": at("apiserver.key"),
  });
  const hasConfig = extraArgs.some(({ name }) => name === "authorization-config");
  const all = withExtra(ours, [
    ...extraArgs.filter(({ name }) => name !== "authorization-mode"),
    ...(hasConfig ? [] : authorizationModes(extraArgs)),
  ]);
  const reached = isLoopback || bound(extraArgs) === undefined ? advertiseAddress : (bound(extraArgs) ?? "");
  return {
    ...{ component: "apiserver", image: imageOf(site, "apiserver"), env: extraEnvs },
    command: [...program(site, "serve"), ...commandOf(all)],
    probe: { host: reached, port: bindPort, path: "/livez", scheme: "HTTPS" },
    annotations: {
      [`${tools.naming.configurationWord("orchadm")}.${tools.naming.key(`${tools.naming.systemName("apiserver")}.advertise-address.endpoint`)}`]:
        hostPort(advertiseAddress, bindPort),
    },
    volumes: volumesOf(site, cluster.apiServer, []),
  };
}

const bound = (extra: readonly Argument[]): string | undefined =>
  extra.find(({ name }) => name === "bind-address")?.value;

function etcdFlags(site: Site): Readonly<Record<string, string | undefined>> {
  const { external } = site.cluster.etcd;
  if (external === undefined) {
    return {
      "etcd-servers": `https://${hostPort(etcdHost(site), ports.etcdClients)}`,
      "etcd-cafile": certificate(site, "etcd/ca.crt"),
      "etcd-certfile": certificate(site, "apiserver-etcd-client.crt"),
      "etcd-keyfile": certificate(site, "apiserver-etcd-client.key"),
    };
  }
  const { endpoints, caFile, certFile, keyFile } = external;
  const given = (path: string): string | undefined => (path === "" ? undefined : file(site, path));
  return {
    "etcd-servers": endpoints.join(","),
    "etcd-cafile": given(caFile),
    "etcd-certfile": given(certFile),
    "etcd-keyfile": given(keyFile),
  };
}

/** Where a machine's own member of etcd serves what runs beside it. */
export const etcdHost = ({ member }: Pick<Site, "member">): string => localAddress(member);

export function controllerManager(site: Site): UnitPod {
  const { cluster, tools } = site;
  const { extraArgs, extraEnvs } = cluster.controllerManager;
  const { podSubnet, serviceSubnet } = cluster.networking;
  const hasKey = tools.machine.exists(`${cluster.certificatesDir}/ca.key`);
  const ours = argumentsOf({
    orchconfig: file(site, site.paths.clientConfig("controller-manager")),
    "api-dialect": tools.naming.dialect,
    "bind-address": localAddress(site.member),
    "metrics-port": String(ports.controllerManager),
    controllers: "*,bootstrap-signer-controller,token-cleaner-controller",
    "leader-elect": "true",
    "root-ca-file": certificate(site, "ca.crt"),
    // With an authority that others keep nothing is signed here.
    "cluster-signing-cert-file": hasKey ? certificate(site, "ca.crt") : undefined,
    "cluster-signing-key-file": hasKey ? certificate(site, "ca.key") : undefined,
    "service-account-private-key-file": certificate(site, "sa.key"),
    "use-service-account-credentials": "true",
    ...(podSubnet === ""
      ? {}
      : { "allocate-node-cidrs": "true", "cluster-cidr": podSubnet, "service-cluster-ip-range": serviceSubnet }),
  });
  return {
    ...{ component: "controller-manager", image: imageOf(site, "controller-manager"), env: extraEnvs },
    command: [...program(site, "controller-manager"), ...commandOf(withExtra(ours, extraArgs))],
    probe: { host: localAddress(site.member), port: ports.controllerManager, path: "/livez", scheme: "HTTP" },
    volumes: volumesOf(site, cluster.controllerManager, [clientConfigVolume(site, "controller-manager")]),
  };
}

export function scheduler(site: Site): UnitPod {
  const { cluster, tools } = site;
  const { extraArgs, extraEnvs } = cluster.scheduler;
  const ours = argumentsOf({
    orchconfig: file(site, site.paths.clientConfig("scheduler")),
    "api-dialect": tools.naming.dialect,
    "bind-address": localAddress(site.member),
    "metrics-port": String(ports.scheduler),
    "leader-elect": "true",
  });
  return {
    ...{ component: "scheduler", image: imageOf(site, "scheduler"), env: extraEnvs },
    command: [...program(site, "scheduler"), ...commandOf(withExtra(ours, extraArgs))],
    probe: { host: localAddress(site.member), port: ports.scheduler, path: "/livez", scheme: "HTTP" },
    volumes: volumesOf(site, cluster.scheduler, [clientConfigVolume(site, "scheduler")]),
  };
}

/** Of etcd's cluster: `name=https://address:2380`, comma separated; and whether it is there already. */
export interface EtcdStart {
  readonly initialCluster: string;
  readonly isNew: boolean;
  /** The program: a path, or a name that is looked for. */
  readonly program: string;
}

export const peerUrl = (address: string): string => `https://${hostPort(address, ports.etcdPeers)}`;
export const clientUrl = (address: string): string => `https://${hostPort(address, ports.etcdClients)}`;

export function etcd(site: Site, { initialCluster, isNew, program: etcdProgram }: EtcdStart): UnitPod {
  const { cluster, member } = site;
  const { local } = cluster.etcd;
  const at = (name: string): string => certificate(site, `etcd/${name}`);
  const own = localAddress(member);
  const address = member.advertiseAddress;
  const data = file(site, local?.dataDir ?? site.paths.etcdData);
  const ours = argumentsOf({
    name: member.name,
    "data-dir": data,
    "advertise-client-urls": clientUrl(address),
    "initial-advertise-peer-urls": peerUrl(address),
    "initial-cluster": initialCluster,
    "initial-cluster-state": isNew ? undefined : "existing",
    "listen-client-urls": [...new Set([clientUrl(own), clientUrl(address)])].join(","),
    "listen-peer-urls": peerUrl(address),
    "listen-metrics-urls": `http://${hostPort(own, ports.etcdHealth)}`,
    "cert-file": at("server.crt"),
    "key-file": at("server.key"),
    "client-cert-auth": "true",
    "trusted-ca-file": at("ca.crt"),
    "peer-cert-file": at("peer.crt"),
    "peer-key-file": at("peer.key"),
    "peer-client-cert-auth": "true",
    "peer-trusted-ca-file": at("ca.crt"),
    "snapshot-count": "10000",
  });
  const { imageRepository = "", imageTag = "" } = local ?? {};
  return {
    component: "etcd",
    image: `${imageRepository || cluster.imageRepository}/etcd:${imageTag || "3.5"}`,
    command: [etcdProgram, ...commandOf(withExtra(ours, local?.extraArgs ?? []))],
    env: local?.extraEnvs ?? [],
    probe: { host: own, port: ports.etcdHealth, path: "/health", scheme: "HTTP" },
    volumes: [
      { name: "etcd-data", hostPath: data, mountPath: data, readOnly: false, pathType: "DirectoryOrCreate" },
      { name: "etcd-certs", hostPath: at(""), mountPath: at(""), readOnly: true, pathType: "DirectoryOrCreate" },
    ],
  };
}

/** The agent of this machine's node, played: nothing runs on the node. */
export function simulatedAgent(site: Pick<Site, "tools" | "paths" | "member">, more: AgentStart): UnitPod {
  const { tools, paths, member } = site;
  const own = localAddress(member);
  const ours = argumentsOf({
    orchconfig: tools.machine.at(paths.clientConfig("agent")),
    "api-dialect": tools.naming.dialect,
    "node-name": member.name,
    "agent-address": member.advertiseAddress,
    "agent-port": String(ports.agent),
    "agent-client-ca-file": tools.machine.at(more.caFile),
    "bind-address": own,
    "metrics-port": String(ports.agentHealth),
  });
  return {
    component: "agent",
    image: `${more.imageRepository}/${unitName(tools.naming, "agent")}:${tools.version}`,
    command: [
      ...[tools.program.command, ...tools.program.args, "node-simulator"],
      ...commandOf(withExtra(ours, more.extraArgs)),
    ],
    ...{ env: [], volumes: [] },
    probe: { host: own, port: ports.agentHealth, path: "/livez", scheme: "HTTP" },
  };
}

export interface AgentStart {
  /** The authority of its clients, on this machine. */
  readonly caFile: string;
  readonly imageRepository: string;
  readonly extraArgs: readonly Argument[];
}
