import { createClient } from "@orch/client/http/http.js";
import type { JoinConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { durationMs } from "@orch/schema/formats/duration.js";
import { type Cluster, clusterOver } from "../cluster.js";
import { machineFacts } from "../configuration/facts.js";
import { type JoinLine, joinInput } from "../configuration/join.js";
import { storedClusterConfiguration } from "../configuration/stored.js";
import type { ClusterInfo } from "../discovery/cluster-info.js";
import { discover } from "../discovery/discover.js";
import { clusterAccess, type InitContext } from "../init/context.js";
import { dryMachine } from "../machine/machine.js";
import { pathsOf } from "../machine/paths.js";
import { noPatches, readPatches } from "../manifests/patches.js";
import { ignoredChecks } from "../preflight/preflight.js";
import { createRunner } from "../runner/create-runner.js";
import type { Site } from "../site.js";
import type { Tools } from "../world.js";

type Shared = Pick<InitContext, "patches" | "runner" | "etcdProgram" | "ignored" | "tools" | "paths" | "member">;

/** What the phases of `join` go by; what comes from the cluster is asked for once, when it is first wanted. */
export interface JoinContext extends Shared {
  readonly join: JoinConfiguration;
  readonly isControlPlane: boolean;
  info(): Promise<ClusterInfo>;
  /** By the token: may read what machines need that join, and ask for a certificate. */
  asBootstrapper(): Promise<Cluster>;
  /** By the administrator's client configuration of this machine, once it is there. */
  asAdmin(): Promise<Cluster>;
  /** With the configuration that the cluster keeps. */
  site(): Promise<Site>;
  close(): Promise<void>;
}

/** @throws Error for a configuration that is wrong */
export function joinContext(line: JoinLine, given: Tools): JoinContext {
  const { values } = line;
  const join = joinInput(line, given);
  const isDry = values["dry-run"] || join.dryRun;
  const tools: Tools = isDry ? { ...given, machine: dryMachine(given.machine, given.print) } : given;
  const paths = pathsOf(tools.naming);
  const member = memberOf(join, values["apiserver-advertise-address"], tools);
  const folder = join.patches?.directory ?? "";
  const access = clusterAccess({ tools, paths });
  const opened: Cluster[] = [];

  const info = once(() => discover(join.discovery, tools, discoveryMs(join)));
  const asBootstrapper = once(async () => {
    const { server, ca } = await info();
    const config = { server, ca, namespace: "default", insecureSkipTlsVerify: false };
    const client = createClient({ ...config, token: join.discovery.tlsBootstrapToken }, { userAgent: "orchadm" });
    const cluster = clusterOver(client);
    opened.push(cluster);
    return cluster;
  });
  const configuration = once(async () => {
    tools.print("[preflight] Reading configuration from the cluster...\n");
    return storedClusterConfiguration(await asBootstrapper(), tools);
  });
  return {
    ...{ join, tools, paths, member, info, asBootstrapper },
    isControlPlane: join.controlPlane !== undefined,
    patches: folder === "" ? noPatches : readPatches(folder, tools.naming, tools.printError),
    runner: createRunner(values.runner, tools),
    etcdProgram: values["etcd-program"],
    ignored: ignoredChecks(values["ignore-preflight-errors"], join.nodeRegistration.ignorePreflightErrors),
    asAdmin: access.api,
    site: async () => ({ tools, paths, member, cluster: await configuration() }),
    async close() {
      await access.close();
      for (const cluster of opened) await cluster.close();
    },
  };
}

function memberOf(join: JoinConfiguration, address: string, tools: Tools): Site["member"] {
  const { name } = join.nodeRegistration;
  if (join.controlPlane !== undefined) return { name, ...join.controlPlane.localAPIEndpoint };
  return { name, advertiseAddress: address || machineFacts(tools).advertiseAddress, bindPort: 0 };
}

const usual = "5m0s";
const usualMs = 300_000;

/** Older files say it in the one place, newer ones in the other. */
const discoveryMs = ({ discovery, timeouts }: JoinConfiguration): number =>
  durationMs(discovery.timeout === usual ? timeouts.discovery : discovery.timeout) ?? usualMs;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
