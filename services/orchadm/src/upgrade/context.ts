import type { UpgradeConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { durationMs } from "@orch/schema/formats/duration.js";
import { type Cluster, dryCluster, openCluster } from "../cluster.js";
import type { Given } from "../command-line.js";
import { kindsOf, readFileOf, refuseMixed } from "../configuration/read-file.js";
import { storedClusterConfiguration } from "../configuration/stored.js";
import { dryMachine } from "../machine/machine.js";
import { pathsOf } from "../machine/paths.js";
import { noPatches, type Patches, readPatches } from "../manifests/patches.js";
import { ignoredChecks } from "../preflight/preflight.js";
import { createRunner } from "../runner/create-runner.js";
import type { Runner } from "../runner/unit.js";
import type { Site } from "../site.js";
import type { Tools } from "../world.js";
import type { applyFlags, nodeFlags } from "./flags.js";
import { ownMember } from "./own-member.js";
import { versionOf } from "./versions.js";

/** What `upgrade apply` and `upgrade node` go by; `cluster` is the configuration as it is to be. */
export interface UpgradeContext extends Site {
  /** Version of the cluster by its stored configuration. */
  readonly from: string;
  readonly patches: Patches;
  readonly runner: Runner;
  readonly ignored: readonly string[];
  readonly skipped: readonly string[];
  readonly withEtcd: boolean;
  readonly renewsCertificates: boolean;
  readonly isForced: boolean;
  readonly asks: boolean;
  readonly allowed: { readonly experimental: boolean; readonly candidates: boolean };
  readonly printsConfig: boolean;
  /** For one unit to run by its new manifest. */
  readonly timeoutMs: number;
  /** The cluster as it is: to read. */
  readonly api: Cluster;
  /** Where changes go; a dry run tells them. */
  readonly changes: Cluster;
  close(): Promise<void>;
}

const fiveMinutes = 300_000;

/** What a file of the kind UpgradeConfiguration says; its defaults where there is none. @throws Error with what is wrong */
export function upgradeInput(
  { values, given }: { readonly values: { readonly config: string }; readonly given: ReadonlySet<string> },
  tools: Tools,
): UpgradeConfiguration {
  refuseMixed(given);
  const { upgrade } = kindsOf(tools);
  if (values.config === "") return upgrade.defaults();
  const [document] = readFileOf(values.config, [upgrade], tools);
  const value = document === undefined ? undefined : upgrade.from(document);
  if (value === undefined)
    throw new Error(`no UpgradeConfiguration found in config file ${JSON.stringify(values.config)}`);
  return value;
}

/** A machine that is only a node has no administrator: its agent may read what it needs. */
export function clusterFileOf(given: string, { machine, naming }: Pick<Tools, "machine" | "naming">): string {
  if (given !== "") return given;
  const paths = pathsOf(naming);
  const [admin, agent] = [paths.clientConfig("admin"), paths.clientConfig("agent")];
  return machine.at(machine.exists(admin) || !machine.exists(agent) ? admin : agent);
}

/** With an empty `target`: the version that the cluster has. */
async function openContext(
  { values, given }: Given<typeof nodeFlags>,
  settings: UpgradeConfiguration["node"],
  {
    tools: givenTools,
    target,
    input,
  }: { readonly tools: Tools; readonly target: string; readonly input: UpgradeConfiguration },
): Promise<UpgradeContext> {
  const isDry = values["dry-run"] || settings.dryRun;
  const { machine: real, print, printError, naming } = givenTools;
  const tools = isDry ? { ...givenTools, machine: dryMachine(real, print) } : givenTools;
  const paths = pathsOf(naming);
  const member = ownMember(tools.machine, paths);
  const folder = values.patches || (settings.patches?.directory ?? "");
  const api = await openCluster(clusterFileOf(values.kubeconfig, tools));
  try {
    const stored = await storedClusterConfiguration(api, tools);
    return {
      ...{ tools, paths, member, api, from: stored.orchVersion },
      cluster: { ...stored, orchVersion: target === "" ? stored.orchVersion : target },
      changes: isDry ? { ...dryCluster(print), get: api.get } : api,
      patches: folder === "" ? noPatches : readPatches(folder, naming, printError),
      runner: createRunner(values.runner, tools),
      ignored: ignoredChecks(values["ignore-preflight-errors"], settings.ignorePreflightErrors),
      skipped: given.has("skip-phases") ? values["skip-phases"] : settings.skipPhases,
      withEtcd: values["etcd-upgrade"] && settings.etcdUpgrade,
      renewsCertificates: values["certificate-renewal"] && settings.certificateRenewal,
      ...{ isForced: false, asks: false, allowed: { experimental: false, candidates: false }, printsConfig: false },
      timeoutMs: durationMs(input.timeouts.upgradeManifests) ?? fiveMinutes,
      close: () => api.close(),
    };
  } catch (error) {
    await api.close();
    throw error;
  }
}

/** @throws Error where the machine is in no cluster, the cluster does not answer, or the line is wrong */
export async function applyContext(line: Given<typeof applyFlags>, tools: Tools): Promise<UpgradeContext> {
  const { values, words } = line;
  const input = upgradeInput(line, tools);
  const { apply } = input;
  const [word = "", ...others] = words;
  if (others.length > 0) throw new Error(`accepts at most 1 arg, received ${words.length}`);
  const asked = word || apply.orchVersion;
  if (asked === "") throw new Error("missing one or more required arguments. Required arguments: [version]");
  versionOf(asked);
  const target = asked.startsWith("v") ? asked : `v${asked}`;
  const context = await openContext(line, apply, { tools, target, input });
  return {
    ...context,
    isForced: values.force || apply.forceUpgrade === true,
    asks: !values.yes && !context.tools.machine.isDry && apply.forceUpgrade !== true && !values.force,
    allowed: {
      experimental: values["allow-experimental-upgrades"] || apply.allowExperimentalUpgrades === true,
      candidates: values["allow-release-candidate-upgrades"] || apply.allowRCUpgrades === true,
    },
    printsConfig: values["print-config"] || apply.printConfig === true,
  };
}

export function nodeContext(line: Given<typeof nodeFlags>, tools: Tools): Promise<UpgradeContext> {
  const input = upgradeInput(line, tools);
  return openContext(line, input.node, { tools, target: "", input });
}
