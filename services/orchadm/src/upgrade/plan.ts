import { isRecord } from "@orch/client/objects.js";
import { readDocument } from "@orch/codec/configuration-document.js";
import { type Cluster, collections } from "../cluster.js";
import { componentKinds } from "../configuration/read-file.js";
import { namesOf } from "../objects/names.js";
import { table } from "../output/table.js";
import type { Tools } from "../world.js";
import type { NodeFacts } from "./cluster-facts.js";
import { compareVersions, versionOf } from "./versions.js";

/** A part of a cluster that an upgrade brings to another version. */
export interface PlannedComponent {
  readonly name: string;
  readonly nodeName: string;
  readonly currentVersion: string;
  readonly newVersion: string;
}

/** A component's configuration as the cluster keeps it. */
export interface ConfigState {
  readonly group: string;
  readonly currentVersion: string;
  readonly preferredVersion: string;
  readonly manualUpgradeRequired: boolean;
}

export interface Plan {
  readonly target: string;
  /** Empty where the cluster has this version already. */
  readonly components: readonly PlannedComponent[];
  /** Agents, each of which is upgraded on its machine. */
  readonly agents: readonly PlannedComponent[];
  readonly configs: readonly ConfigState[];
}

export interface PlanInput {
  readonly from: string;
  readonly target: string;
  readonly nodes: readonly NodeFacts[];
  readonly configs: readonly ConfigState[];
  readonly etcd?: { readonly currentVersion: string; readonly newVersion: string };
}

const parts = ["apiserver", "controller-manager", "scheduler"] as const;

/** @throws Error for a target that is no version */
export function planOf(input: PlanInput, { naming }: Pick<Tools, "naming">): Plan {
  const { from, target, nodes, configs, etcd } = input;
  const isNewer = compareVersions(versionOf(target), versionOf(from)) > 0;
  const machines = nodes.filter(({ isControlPlane }) => isControlPlane);
  const row = (name: string, nodeName: string, currentVersion: string, newVersion = target): PlannedComponent => ({
    ...{ name, nodeName, currentVersion, newVersion },
  });
  const agent = naming.configurationWord("agent");
  return {
    target,
    components: isNewer
      ? [
          ...parts.flatMap((part) => machines.map(({ name }) => row(naming.systemName(part), name, from))),
          row(naming.systemName("proxy"), "", from),
          ...(etcd === undefined
            ? []
            : machines.map(({ name }) => row("etcd", name, etcd.currentVersion, etcd.newVersion))),
        ]
      : [],
    agents: isNewer
      ? nodes
          .filter(({ agentVersion }) => agentVersion !== target)
          .map((node) => row(agent, node.name, node.agentVersion))
      : [],
    configs,
  };
}

/** The configurations of components that a cluster keeps, and the versions in which this program would write them. */
export async function configStates(cluster: Pick<Cluster, "get">, tools: Tools): Promise<readonly ConfigState[]> {
  const { naming } = tools;
  const names = namesOf(naming);
  const { agent, proxy } = componentKinds(tools);
  const places = [
    { kind: proxy, map: naming.systemName("proxy"), key: "config.conf" },
    { kind: agent, map: names.agentConfiguration, key: names.agentKey },
  ];
  const states = await Promise.all(
    places.map(async ({ kind, map, key }) => {
      const [preferred = ""] = kind.apiVersions;
      const [group = "", preferredVersion = ""] = preferred.split("/");
      const object = await cluster.get(collections.configMaps(names.systemNamespace), map);
      const data: unknown = object?.["data"];
      const text: unknown = isRecord(data) ? data[key] : undefined;
      if (typeof text !== "string") return [];
      const document = readDocument(text);
      const apiVersion = document.ok ? document.document.apiVersion : "";
      const manualUpgradeRequired = !kind.apiVersions.includes(apiVersion);
      return [{ group, currentVersion: apiVersion.split("/").at(-1) ?? "", preferredVersion, manualUpgradeRequired }];
    }),
  );
  return states.flat();
}

const rule = `${"_".repeat(69)}\n`;

/** What an upgrade leads to: nothing else is looked up. */
export const programsOwn = "version of this program";

/** The plan for a person. */
export function planText({ target, components, agents, configs }: Plan, { naming }: Pick<Tools, "naming">): string {
  const program = naming.configurationWord("orchadm");
  const rows = (of: readonly PlannedComponent[]): string =>
    table([
      ["COMPONENT", "NODE", "CURRENT", "TARGET"],
      ...of.map((each) => [each.name, each.nodeName, each.currentVersion, each.newVersion]),
    ]);
  const manual =
    agents.length === 0
      ? ""
      : `Components that must be upgraded manually after you have upgraded the control plane with '${program} upgrade apply':\n${rows(agents)}\n`;
  const wanted =
    components.length === 0
      ? "Awesome, you're up-to-date! Enjoy!\n\n"
      : `Upgrade to the ${programsOwn}:\n\n${rows(components)}\nYou can now apply the upgrade by executing the following command:\n\n\t${program} upgrade apply ${target}\n\n${rule}\n`;
  return `${manual}${wanted}${configText(configs, program)}`;
}

function configText(configs: readonly ConfigState[], program: string): string {
  if (configs.length === 0) return "";
  const rows = configs.map(({ group, currentVersion, preferredVersion, manualUpgradeRequired }) => [
    ...[group, currentVersion, preferredVersion, manualUpgradeRequired ? "yes" : "no"],
  ]);
  return `
The table below shows the current state of component configs as understood by this version of ${program}.
Configs that have a "yes" mark in the "MANUAL UPGRADE REQUIRED" column require manual config upgrade or
resetting to ${program} defaults before a successful upgrade can be performed. The version to manually
upgrade to is denoted in the "PREFERRED VERSION" column.

${table([["API GROUP", "CURRENT VERSION", "PREFERRED VERSION", "MANUAL UPGRADE REQUIRED"], ...rows])}${rule}`;
}
