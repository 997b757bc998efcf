import { printYaml } from "@orch/codec/yaml/yaml.js";
import { type Cluster, openCluster } from "../cluster.js";
import { type CommandNode, command, group } from "../command-line.js";
import { newestText, storedClusterConfiguration } from "../configuration/stored.js";
import { pathsOf } from "../machine/paths.js";
import { noPatches, readPatches } from "../manifests/patches.js";
import { runPhases } from "../phases/phase.js";
import { phaseCommands, withContext } from "../phases/phase-commands.js";
import { ignoredChecks, preflight } from "../preflight/preflight.js";
import type { Site } from "../site.js";
import type { Tools } from "../world.js";
import { healthChecks } from "./checks.js";
import { nodesOf } from "./cluster-facts.js";
import { applyContext, clusterFileOf, nodeContext, upgradeInput } from "./context.js";
import { applyFlags, diffFlags, nodeFlags, planFlags } from "./flags.js";
import { unifiedDiff } from "./line-diff.js";
import { isControlPlane, ownMember } from "./own-member.js";
import { applyPhases, nodePhases } from "./phases.js";
import { configStates, type PlanInput, planOf, planText, programsOwn } from "./plan.js";
import { enforcePolicy, policyProblems } from "./policy.js";
import { versionOf } from "./versions.js";
import { wantedManifests } from "./wanted-manifests.js";

const apply = command({
  word: "apply",
  description: "Upgrades the cluster to a version, beginning with this machine of its control plane",
  flags: applyFlags,
  takes: "[version]",
  commands: [phaseCommands({ flags: applyFlags, takes: "[version]", phases: applyPhases, context: applyContext })],
  async run(line, tools) {
    await withContext(await applyContext(line, tools), async (context) => {
      if (!isControlPlane(context.tools.machine, context.paths)) {
        throw new Error("this machine is none of the control plane: run 'upgrade node' on it");
      }
      await runPhases(applyPhases, context, context.skipped);
    });
    return 0;
  },
});

const node = command({
  word: "node",
  description: "Upgrades this machine to the version that the cluster has",
  flags: nodeFlags,
  commands: [phaseCommands({ flags: nodeFlags, phases: nodePhases, context: nodeContext })],
  async run(line, tools) {
    await withContext(await nodeContext(line, tools), (context) => runPhases(nodePhases, context, context.skipped));
    return 0;
  },
});

async function withCluster<T>(file: string, use: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = await openCluster(file);
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}

/** With or without its `v`; the program's own where no word says one. */
const targetOf = (word: string, { version }: Pick<Tools, "version">): string => {
  if (word === "") return version;
  versionOf(word);
  return word.startsWith("v") ? word : `v${word}`;
};

const plan = command({
  word: "plan",
  description: "Checks to which version the cluster can be upgraded, and what would change",
  flags: planFlags,
  takes: "[version]",
  async run(line, tools) {
    const { values, words } = line;
    const { plan: settings } = upgradeInput(line, tools);
    const target = targetOf(words[0] ?? settings.orchVersion, tools);
    return withCluster(clusterFileOf(values.kubeconfig, tools), async (api) => {
      const { naming, machine, version, printError } = tools;
      // A plan for programs is nothing but the plan.
      const print = values.output === "text" ? tools.print : tools.trace;
      const program = naming.configurationWord("orchadm");
      print("[preflight] Running pre-flight checks.\n");
      const paths = pathsOf(naming);
      const cluster = await storedClusterConfiguration(api, tools);
      const site = { tools, paths, cluster, member: ownMember(machine, paths), api };
      print("[upgrade] Running cluster health checks\n");
      const ignored = ignoredChecks(values["ignore-preflight-errors"], settings.ignorePreflightErrors);
      await preflight(healthChecks(site), { ignored, warn: printError });
      if (values["print-config"] || settings.printConfig === true) {
        print(`[upgrade/config] Configuration used:\n${newestText(cluster, tools)}`);
      }
      const from = cluster.orchVersion;
      print(`[upgrade/versions] Cluster version: ${from}\n[upgrade/versions] ${program} version: ${version}\n`);
      print(`[upgrade/versions] Target version: ${target}\n\n`);
      const nodes = await nodesOf(api, tools);
      const agents = nodes.map((each) => each.agentVersion);
      const allowed = {
        experimental: values["allow-experimental-upgrades"] || settings.allowExperimentalUpgrades === true,
        candidates: values["allow-release-candidate-upgrades"] || settings.allowRCUpgrades === true,
      };
      enforcePolicy(policyProblems({ target, cluster: from, own: version, agents, program }, allowed), false);
      const etcd = etcdVersions({ ...site, cluster: { ...cluster, orchVersion: target } });
      const made = planOf({ from, target, nodes, configs: await configStates(api, tools), ...etcd }, tools);
      tools.print(shown(made, values.output, tools));
      return 0;
    });
  },
});

/** By the images of this machine's member; nothing where it has none. */
function etcdVersions(site: Site): Pick<PlanInput, "etcd"> {
  const changes = wantedManifests(site, { patches: noPatches, withEtcd: true });
  const change = changes.find(({ component }) => component === "etcd");
  if (change === undefined) return {};
  return { etcd: { currentVersion: imageTag(change.before), newVersion: imageTag(change.wanted) } };
}

const imageTag = (manifest: string): string =>
  manifest
    .split("\n")
    .find((line) => line.trim().startsWith("image: "))
    ?.split(":")
    .at(-1) ?? "";

function shown(made: ReturnType<typeof planOf>, output: "text" | "json" | "yaml", tools: Tools): string {
  if (output === "text") return planText(made, tools);
  const { components, agents, configs } = made;
  const planned = [...components, ...agents];
  const value = {
    kind: "UpgradePlan",
    apiVersion: `output.${tools.naming.configurationGroup("orchadm")}/v1alpha3`,
    ...(planned.length === 0 ? {} : { availableUpgrades: [{ description: programsOwn, components: planned }] }),
    ...(configs.length === 0 ? {} : { configVersions: configs }),
  };
  return output === "json" ? `${JSON.stringify(value, undefined, 4)}\n` : printYaml(value);
}

const diff = command({
  word: "diff",
  description: "Shows how an upgrade would change the manifests of this machine",
  flags: diffFlags,
  takes: "[version]",
  async run(line, tools) {
    const { values, words, given } = line;
    const { diff: settings } = upgradeInput(line, tools);
    const { naming, machine, print, printError } = tools;
    const paths = pathsOf(naming);
    return withCluster(clusterFileOf(values.kubeconfig, tools), async (api) => {
      const stored = await storedClusterConfiguration(api, tools);
      const cluster = { ...stored, orchVersion: targetOf(words[0] ?? settings.orchVersion, tools) };
      const patches = values.patches === "" ? noPatches : readPatches(values.patches, naming, printError);
      const site = { tools, paths, cluster, member: ownMember(machine, paths) };
      const context = given.has("context-lines") ? values["context-lines"] : settings.contextLines;
      for (const { path, before, wanted } of wantedManifests(site, { patches, withEtcd: true })) {
        print(unifiedDiff(before, wanted, { before: machine.at(path), after: "new manifest", context }));
      }
      return 0;
    });
  },
});

export const upgradeCommand: CommandNode = group({
  word: "upgrade",
  description: "Brings a cluster to another version, machine by machine",
  commands: [plan, apply, diff, node],
});
