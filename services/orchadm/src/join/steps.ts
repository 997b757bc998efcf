import { durationMs } from "@orch/schema/formats/duration.js";
import { agentSubject, printClientConfig } from "../client-configs/client-configs.js";
import { storedAgentConfiguration } from "../configuration/stored.js";
import { addOwnMember, etcdEndpoints, openEtcd, promoteOwnMember } from "../etcd/membership.js";
import { waitForComponents, writeAgent } from "../init/steps.js";
import { clientUrl, etcd, peerUrl } from "../manifests/components.js";
import { writeManifest } from "../manifests/write.js";
import { until } from "../phases/wait.js";
import { bootstrapNode } from "./bootstrap.js";
import type { JoinContext } from "./context.js";

const [twoMinutes, fourMinutes, fiveMinutes] = [120_000, 240_000, 300_000];
const modeOfCertificates = 0o644;

/** Before anything changes: the members of etcd that are there must answer. */
export async function checkEtcd(context: JoinContext): Promise<void> {
  const site = await context.site();
  if (context.tools.machine.isDry || site.cluster.etcd.local === undefined) return;
  context.tools.print("[check-etcd] Checking that the etcd cluster is healthy\n");
  const etcdCluster = openEtcd(site, await etcdEndpoints(await context.asAdmin(), site));
  try {
    await etcdCluster.members();
  } finally {
    etcdCluster.close();
  }
}

/** The files by which this machine's agent begins: how the cluster is known, and a token. */
export async function prepareAgent(context: JoinContext): Promise<void> {
  const { tools, paths, join, member, patches } = context;
  const { machine, naming, print } = tools;
  const { server, ca } = await context.info();
  const agent = naming.configurationWord("agent");
  if (!machine.exists(join.caCertPath)) machine.write(join.caCertPath, ca, { mode: modeOfCertificates });
  const text = printClientConfig({
    ...{ apiVersion: naming.clientConfigApiVersion, cluster: naming.word("orch"), server, ca },
    user: "tls-bootstrap-token-user",
    credentials: { token: join.discovery.tlsBootstrapToken },
  });
  machine.write(paths.clientConfig("bootstrap-agent"), text);
  const { cluster } = await context.site();
  writeAgent(
    { tools, paths, member },
    {
      text: await storedAgentConfiguration(await context.asBootstrapper(), tools),
      caFile: join.caCertPath,
      imageRepository: cluster.imageRepository,
      extraArgs: join.nodeRegistration.agentExtraArgs,
      patches,
    },
  );
  print(`[${agent}-start] Starting the ${agent}\n`);
}

/** Trades the token for a certificate of the node, and has what is to run here run. */
export async function bootstrapAgent(context: JoinContext): Promise<void> {
  const { tools, paths, join, member, runner } = context;
  const { machine, naming, print } = tools;
  if (machine.isDry) return;
  const { server, ca } = await context.info();
  if (!machine.exists(paths.clientConfig("agent"))) {
    print(
      "[kubelet-wait-bootstrap] Waiting for the node to perform the TLS Bootstrap\n".replace(
        "kubelet",
        naming.configurationWord("agent"),
      ),
    );
    const timeoutMs = durationMs(join.timeouts.tlsBootstrap) ?? fiveMinutes;
    const { client } = await context.asBootstrapper();
    const pair = await bootstrapNode(client, { node: member.name, timeoutMs }, tools);
    const text = printClientConfig({
      ...{ apiVersion: naming.clientConfigApiVersion, cluster: naming.word("orch"), server, ca },
      user: agentSubject(member.name).commonName,
      credentials: { pair },
    });
    machine.write(paths.clientConfig("agent"), text);
  }
  machine.remove(paths.clientConfig("bootstrap-agent"));
  // A machine of the control plane begins with its member of etcd, which the next phase brings.
  if (!context.isControlPlane) await runner.begin();
}

/** One more member of etcd: it learns first, and votes once it has caught up. */
export async function joinEtcd(context: JoinContext): Promise<void> {
  const { tools, runner, join, member } = context;
  const site = await context.site();
  const { local } = site.cluster.etcd;
  if (tools.machine.isDry) {
    if (local === undefined) return;
    // Members that are there are asked only when one is added.
    tools.print("[dryrun] The members of etcd that are there would stand in --initial-cluster, too\n");
    const initialCluster = `${member.name}=${peerUrl(member.advertiseAddress)}`;
    writeManifest(etcd(site, { initialCluster, isNew: false, program: context.etcdProgram }), site, context);
    return;
  }
  if (local === undefined) {
    await runner.begin();
    return;
  }
  const timeoutMs = durationMs(join.timeouts.etcdAPICall) ?? twoMinutes;
  const others = await etcdEndpoints(await context.asAdmin(), site);
  const cluster = openEtcd(
    site,
    others.filter((url) => url !== clientUrl(member.advertiseAddress)),
  );
  try {
    tools.print("[etcd] Announced new etcd member joining to the existing etcd cluster\n");
    const initialCluster = await until(
      () => addOwnMember(cluster, site),
      { what: "etcd takes no member in", timeoutMs },
      tools,
    );
    tools.machine.makeFolder(local.dataDir, 0o700);
    tools.print(`[etcd] Creating static Pod manifest for "etcd"\n`);
    writeManifest(etcd(site, { initialCluster, isNew: false, program: context.etcdProgram }), site, context);
    await runner.begin();
    tools.print("[etcd] Waiting for the new etcd member to join the cluster. This can take up to 40s\n");
    await until(
      () => promoteOwnMember(cluster, site),
      { what: "the new member of etcd does not catch up", timeoutMs },
      tools,
    );
  } finally {
    cluster.close();
  }
}

export async function waitForOwnControlPlane(context: JoinContext): Promise<void> {
  if (context.tools.machine.isDry) return;
  const { join } = context;
  const timeoutMs = durationMs(join.timeouts.controlPlaneComponentHealthCheck) ?? fourMinutes;
  await waitForComponents(await context.site(), timeoutMs);
}
