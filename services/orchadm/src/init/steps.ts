import { durationMs } from "@orch/schema/formats/duration.js";
import { findPair } from "../certificates/pairs.js";
import { collections } from "../cluster.js";
import { etcd, peerUrl, ports, simulatedAgent } from "../manifests/components.js";
import { writeManifest } from "../manifests/write.js";
import { publishClusterInfo } from "../objects/cluster-info.js";
import { allowBootstrap, ensureToken } from "../objects/tokens.js";
import { agentConfigurationText } from "../objects/uploads.js";
import { probe, until } from "../phases/wait.js";
import { clusterServer, hostPort, localAddress, localServer, type Site } from "../site.js";
import type { InitContext } from "./context.js";

const fourMinutes = 240_000;

/** The first member of a cluster of etcd's. */
export function writeFirstEtcd(context: InitContext): void {
  const { tools, cluster, member, etcdProgram } = context;
  const { local } = cluster.etcd;
  if (local === undefined) return;
  tools.print(
    `[etcd] Creating static Pod manifest for local etcd in ${JSON.stringify(tools.machine.at(context.paths.manifests))}\n`,
  );
  tools.machine.makeFolder(local.dataDir, 0o700);
  const initialCluster = `${member.name}=${peerUrl(member.advertiseAddress)}`;
  writeManifest(etcd(context, { initialCluster, isNew: true, program: etcdProgram }), context, context);
}

/** The configuration that agents of this cluster share. */
export const agentText = ({ cluster, agent, tools }: InitContext): string =>
  agentConfigurationText(cluster, agent, tools);

/** Writes what the node's agent goes by. */
export function writeAgent(
  site: Pick<Site, "tools" | "paths" | "member">,
  parts: {
    readonly text: string;
    readonly caFile: string;
    readonly imageRepository: string;
    readonly extraArgs: readonly { readonly name: string; readonly value: string }[];
    readonly patches: InitContext["patches"];
  },
): void {
  const { tools, paths } = site;
  const { machine, print, naming } = tools;
  const file = `${paths.agentData}/config.yaml`;
  print(
    `[${naming.configurationWord("agent")}-start] Writing agent configuration to file ${JSON.stringify(machine.at(file))}\n`,
  );
  machine.write(file, parts.text, { mode: 0o644 });
  writeManifest(simulatedAgent(site, parts), site, parts);
}

/** Writes the agent's files, and has all manifests run from now on. */
export async function startUnits(context: InitContext): Promise<void> {
  const { tools, cluster, init, runner, patches } = context;
  writeAgent(context, {
    text: agentText(context),
    caFile: `${cluster.certificatesDir}/ca.crt`,
    imageRepository: cluster.imageRepository,
    extraArgs: init.nodeRegistration.agentExtraArgs,
    patches,
  });
  if (tools.machine.isDry) return;
  tools.print(
    `[${tools.naming.configurationWord("agent")}-start] Starting the units of this machine (runner: ${runner.kind})\n`,
  );
  await runner.begin();
}

/** The addresses at which components of a machine say that they are well. */
export const probesOf = (site: Site): readonly { readonly name: string; readonly url: string }[] => {
  const own = localAddress(site.member);
  const { naming } = site.tools;
  return [
    { name: naming.systemName("apiserver"), url: `${localServer(site)}/readyz` },
    { name: naming.systemName("controller-manager"), url: `http://${hostPort(own, ports.controllerManager)}/healthz` },
    { name: naming.systemName("scheduler"), url: `http://${hostPort(own, ports.scheduler)}/healthz` },
  ];
};

/** Resolves once every component of the machine is well. */
export async function waitForComponents(site: Site, timeoutMs: number): Promise<void> {
  const { print, clock } = site.tools;
  const begun = clock.monotonic();
  await Promise.all(
    probesOf(site).map(async ({ name, url }) => {
      await until(() => probe(url), { what: `${name} check failed at ${url}`, timeoutMs }, site.tools);
      print(`[control-plane-check] ${name} is healthy after ${seconds(clock.monotonic() - begun)}\n`);
    }),
  );
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)}s`;

export async function waitForControlPlane(context: InitContext): Promise<void> {
  const { tools, init, cluster, paths, member } = context;
  if (tools.machine.isDry) return;
  tools.print(
    `[wait-control-plane] Waiting for the control plane to start its units from directory ${JSON.stringify(tools.machine.at(paths.manifests))}. This can take up to ${init.timeouts.controlPlaneComponentHealthCheck}\n`,
  );
  const timeoutMs =
    durationMs(init.timeouts.controlPlaneComponentHealthCheck) ??
    durationMs(cluster.apiServer.timeoutForControlPlane) ??
    fourMinutes;
  await waitForComponents(context, timeoutMs);
  const api = await context.api();
  const registered = async (): Promise<void> => {
    if ((await api.get(collections.nodes, member.name)) === undefined) throw new Error("there is no such node");
  };
  await until(registered, { what: `the node ${member.name} did not register`, timeoutMs }, tools);
}

/** Tokens of the configuration, and all by which machines join with them. */
export async function makeTokens(context: InitContext): Promise<void> {
  const { tools, init, cluster } = context;
  tools.print(
    `[bootstrap-token] Using token: ${context.showsToken ? (init.bootstrapTokens[0]?.token ?? "") : "<value withheld>"}\n`,
  );
  tools.print("[bootstrap-token] Configuring bootstrap tokens, cluster-info ConfigMap, RBAC Roles\n");
  const api = await context.api();
  for (const token of init.bootstrapTokens) await ensureToken(api, token, tools);
  await allowBootstrap(api, tools);
  tools.print(
    `[bootstrap-token] Creating the "cluster-info" ConfigMap in the ${JSON.stringify(tools.naming.systemName("public"))} namespace\n`,
  );
  const { certificate: ca = "" } = findPair(tools.machine, `${cluster.certificatesDir}/ca`);
  await publishClusterInfo(api, { server: clusterServer(context), ca }, tools);
}
