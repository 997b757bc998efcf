import { messageOf } from "@orch/status/message-of.js";
import { newestText } from "../configuration/stored.js";
import { probesOf } from "../init/steps.js";
import { probe } from "../phases/wait.js";
import { privileged } from "../preflight/checks.js";
import { type Check, preflight, wrong } from "../preflight/preflight.js";
import { nodesOf } from "./cluster-facts.js";
import type { UpgradeContext } from "./context.js";
import { isControlPlane } from "./own-member.js";
import { enforcePolicy, policyProblems } from "./policy.js";

type Checked = Pick<UpgradeContext, "tools" | "paths" | "cluster" | "member" | "api">;

/** What must be well before anything changes. */
export function healthChecks(context: Checked): readonly Check[] {
  const { tools, paths, api } = context;
  const { machine } = tools;
  const components: readonly Check[] = isControlPlane(machine, paths)
    ? [{ name: "ControlPlaneComponents", find: async () => unwell(context) }]
    : [];
  return [
    privileged(machine),
    ...components,
    {
      name: "ControlPlaneNodesReady",
      async find() {
        const nodes = (await nodesOf(api, tools)).filter((node) => node.isControlPlane);
        const away = nodes.filter((node) => !node.isReady).map(({ name }) => name);
        if (nodes.length === 0) return [wrong("there are no nodes of a control plane")];
        return away.length === 0
          ? []
          : [wrong(`there are NotReady control-planes in the cluster: [${away.join(" ")}]`)];
      },
    },
  ];
}

async function unwell(context: Checked) {
  const found = await Promise.all(
    probesOf(context).map(async ({ name, url }) => {
      try {
        await probe(url);
        return [];
      } catch (error) {
        return [wrong(`${name} is not healthy: ${messageOf(error)}`)];
      }
    }),
  );
  return found.flat();
}

/** Checks health and versions, then asks. @throws Error where something speaks against the upgrade */
export async function checkApply(context: UpgradeContext): Promise<void> {
  const { tools, api, ignored, from, cluster, allowed, isForced, asks, printsConfig } = context;
  const { print, printError, naming, version, ask } = tools;
  print("[preflight] Running pre-flight checks.\n[upgrade] Running cluster health checks\n");
  await preflight(healthChecks(context), { ignored, warn: printError });
  if (printsConfig) printConfiguration(context);
  const target = cluster.orchVersion;
  const program = naming.configurationWord("orchadm");
  print(`[upgrade/version] You have chosen to upgrade the cluster version to ${JSON.stringify(target)}\n`);
  print(`[upgrade/versions] Cluster version: ${from}\n[upgrade/versions] ${program} version: ${version}\n`);
  const agents = (await nodesOf(api, tools)).map((node) => node.agentVersion);
  const problems = policyProblems({ target, cluster: from, own: version, agents, program }, allowed);
  for (const text of enforcePolicy(problems, isForced)) printError(`[upgrade/version] WARNING: ${text}\n`);
  if (!asks) return;
  const answer = await ask("[upgrade] Are you sure you want to proceed? [y/N]: ");
  if (!["y", "yes"].includes(answer.trim().toLowerCase())) throw new Error("aborted upgrade operation");
}

/** A worker has no components to look at, and may not look at other nodes; the version is the cluster's own. */
export async function checkNode(context: UpgradeContext): Promise<void> {
  const { tools, ignored, paths } = context;
  const { machine } = tools;
  tools.print("[preflight] Running pre-flight checks\n");
  const checks = isControlPlane(machine, paths) ? healthChecks(context) : [privileged(machine)];
  await preflight(checks, { ignored, warn: tools.printError });
}

function printConfiguration({ cluster, tools }: Pick<UpgradeContext, "cluster" | "tools">): void {
  tools.print(`[upgrade/config] Configuration used:\n${newestText(cluster, tools).replace(/^(?=.)/gm, "\t")}`);
}
