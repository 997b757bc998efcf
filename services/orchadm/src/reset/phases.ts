import type { ResetConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { durationMs } from "@orch/schema/formats/duration.js";
import { messageOf } from "@orch/status/message-of.js";
import { openCluster } from "../cluster.js";
import { type ResetLine, resetInput } from "../configuration/reset.js";
import { type EtcdCluster, etcdCluster } from "../etcd/etcd-client.js";
import { etcdEndpoints } from "../etcd/membership.js";
import { dryMachine } from "../machine/machine.js";
import { type ClientConfigName, type Paths, pathsOf } from "../machine/paths.js";
import type { Phase } from "../phases/phase.js";
import { until } from "../phases/wait.js";
import { privileged } from "../preflight/checks.js";
import { preflight } from "../preflight/preflight.js";
import { createRunner } from "../runner/create-runner.js";
import { statePath } from "../runner/runner-paths.js";
import type { Runner } from "../runner/unit.js";
import type { Tools } from "../world.js";
import { type OwnEtcd, ownEtcd } from "./own-etcd.js";

export interface ResetContext {
  readonly tools: Tools;
  readonly paths: Paths;
  readonly reset: ResetConfiguration;
  readonly runner: Runner;
  close(): Promise<void>;
}

export function resetContext(line: ResetLine, given: Tools): ResetContext {
  const reset = resetInput(line, given);
  const tools: Tools = reset.dryRun ? { ...given, machine: dryMachine(given.machine, given.print) } : given;
  return {
    ...{ tools, reset, paths: pathsOf(tools.naming) },
    runner: createRunner(line.values.runner, tools),
    close: async () => {},
  };
}

/** What `reset` does, in its order. */
export const resetPhases: readonly Phase<ResetContext>[] = [
  {
    name: "preflight",
    description: "Run reset pre-flight checks",
    async run({ tools, reset }) {
      const { machine, print, printError, ask } = tools;
      if (!reset.force && !machine.isDry) {
        print("[reset] WARNING: Changes made to this host by 'orchadm init' or 'orchadm join' will be reverted.\n");
        const answer = await ask("[reset] Are you sure you want to proceed? [y/N]: ");
        if (!["y", "yes"].includes(answer.trim().toLowerCase())) throw new Error("aborted reset operation");
      }
      print("[preflight] Running pre-flight checks\n");
      await preflight([privileged(machine)], { ignored: reset.ignorePreflightErrors, warn: printError });
    },
  },
  { name: "remove-etcd-member", description: "Remove a local etcd member.", run: removeMember },
  { name: "cleanup-node", description: "Run cleanup node.", run: cleanUp },
];

const twoMinutes = 120_000;

/** A cluster of which a member goes without a word waits for it for ever; the last member simply ends. */
async function removeMember({ tools, paths, reset }: ResetContext): Promise<void> {
  const { machine, print } = tools;
  const own = ownEtcd(machine, paths);
  if (own === undefined) {
    print("[reset] No etcd manifest was found: no member of etcd is removed\n");
    return;
  }
  if (machine.isDry) return;
  const file = (name: string): string => machine.read(`${reset.certificatesDir}/etcd/${name}`);
  let cluster: EtcdCluster | undefined;
  try {
    cluster = etcdCluster([...own.clientUrls, ...(await otherMembers({ tools, paths }, own))], {
      ...{ ca: file("ca.crt"), certificate: file("healthcheck-client.crt"), key: file("healthcheck-client.key") },
    });
    const members = await cluster.members();
    const found = members.find(({ peerUrls }) => peerUrls.includes(own.peerUrl));
    if (found === undefined || members.length === 1) {
      print("[remove-etcd-member] This is the last member of etcd: it is not removed, its data is\n");
      return;
    }
    print(`[remove-etcd-member] Removing the member ${found.name} of etcd\n`);
    const open = cluster;
    const timeoutMs = durationMs(reset.timeouts.etcdAPICall) ?? twoMinutes;
    await until(
      () => removeOnce(open, found.id),
      { what: "the member could not be removed", timeoutMs: Math.min(timeoutMs, 30_000) },
      tools,
    );
  } catch (error) {
    print(
      `[reset] Failed to remove etcd member: ${messageOf(error)}, please manually remove this etcd member using etcdctl\n`,
    );
  } finally {
    cluster?.close();
  }
}

/** An attempt whose answer was lost may have removed the member, which is what was wanted. */
async function removeOnce(cluster: EtcdCluster, id: string): Promise<void> {
  try {
    await cluster.remove(id);
  } catch (error) {
    if (!messageOf(error).includes("member not found")) throw error;
  }
}

const patienceMs = 5_000;

/** Members on other machines, as far as the cluster can be asked: they answer where this machine's own does not. */
async function otherMembers(
  { tools, paths }: Pick<ResetContext, "tools" | "paths">,
  own: OwnEtcd,
): Promise<readonly string[]> {
  const { machine, trace } = tools;
  const path = paths.clientConfig("admin");
  if (!machine.exists(path)) return [];
  const cluster = await openCluster(machine.at(path));
  try {
    const found = await etcdEndpoints(cluster, { tools }, AbortSignal.timeout(patienceMs));
    return found.filter((url) => !own.clientUrls.includes(url));
  } catch (error) {
    trace(`[remove-etcd-member] the cluster does not tell of other members: ${messageOf(error)}\n`);
    return [];
  } finally {
    await cluster.close();
  }
}

const clientConfigs: readonly ClientConfigName[] = [
  "super-admin",
  "admin",
  "agent",
  "bootstrap-agent",
  "controller-manager",
  "scheduler",
];

async function cleanUp({ tools, paths, reset, runner }: ResetContext): Promise<void> {
  const { machine, print, naming } = tools;
  // Read before its manifest goes.
  const etcd = ownEtcd(machine, paths);
  if (!machine.isDry) {
    print("[reset] Stopping the units of this machine\n");
    await runner.end();
  }
  const folders = [paths.manifests, reset.certificatesDir];
  print(`[reset] Deleting contents of directories: [${folders.map((folder) => machine.at(folder)).join(" ")}]\n`);
  for (const folder of folders) machine.remove(folder);
  const files = clientConfigs.map((name) => paths.clientConfig(name)).filter((path) => machine.exists(path));
  print(`[reset] Deleting files: [${files.map((path) => machine.at(path)).join(" ")}]\n`);
  for (const path of files) machine.remove(path);
  const data = [
    paths.agentData,
    ...(etcd === undefined ? [] : [etcd.dataDir]),
    `/var/lib/${naming.systemName("apiserver")}`,
    paths.logs,
    statePath(naming),
    ...(reset.cleanupTmpDir ? [paths.temporary] : []),
  ].filter((folder) => machine.exists(folder));
  print(`[reset] Deleting contents of stateful directories: [${data.map((folder) => machine.at(folder)).join(" ")}]\n`);
  for (const folder of data) machine.remove(folder);
  // What others have put beside it stays.
  if (machine.list(paths.config).length === 0) machine.remove(paths.config);
}
