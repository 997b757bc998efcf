import type { Parsed } from "@orch/auth/parsed.js";
import type { LeaderMigration } from "@orch/component-config/managers/leader-migration.js";
import { readElection } from "@orch/runtime/flags/election-flags.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import type { CloudNodeConfig } from "../cloud-nodes/node-controller.js";
import { createCloudNodeController } from "../cloud-nodes/node-controller.js";
import { cloudMakers } from "../clouds/cloud-makers.js";
import { type CloudConfig, type CloudParts, cloudSettings } from "../clouds/cloud-settings.js";
import { type CloudController, chooseControllers, cloudControllerNames } from "../controller.js";
import { termSettings } from "../leader-migration/migration-settings.js";
import type { ManagerConfig } from "../manager.js";
import type { cloudManagerFlags } from "./flags.js";

/** The same in both dialects, which is how the reference names its lease. */
const component = "cloud-controller-manager";

export interface CloudManagerParts extends CloudParts {
  /** What the component's own configuration says of controllers that move. */
  readonly configured?: LeaderMigration | undefined;
  /** Tells this process from the others that may lead. */
  readonly identity: string;
}

/** What the flags say: which controllers run, and of which cloud. */
export function cloudManagerSettings(
  values: FlagValues<typeof cloudManagerFlags>,
  parts: CloudManagerParts,
): Parsed<ManagerConfig<CloudController>> {
  const chosen = chooseControllers(values.controllers, cloudControllerNames);
  if (!chosen.ok) return refused(chosen.problem);
  const cloud = cloudSettings(values, parts);
  if (!cloud.ok) return cloud;
  if (cloud.value === undefined) return refused("--cloud-provider names no cloud: it must be simulated");
  const periodMs = values["node-status-update-frequency"];
  if (periodMs === 0) return refused("--node-status-update-frequency must be greater than zero");
  const name = values["leader-elect-resource-name"] || component;
  const read = readElection({ ...values, "leader-elect-resource-name": name }, { ...parts, part: component });
  if (!read.ok) return refused(read.problem);
  const own = { controllers: chosen.names, election: read.election };
  const terms = termSettings(values, own, { ...parts, component });
  if (!terms.ok) return terms;
  return {
    ok: true,
    value: {
      make: makersOf(cloud.value, { workers: values["concurrent-node-syncs"], periodMs }),
      terms: terms.value,
    },
  };
}

const makersOf = (cloud: CloudConfig, nodes: CloudNodeConfig): ManagerConfig<CloudController>["make"] => ({
  ...cloudMakers(cloud),
  "cloud-node-controller": (tools) => createCloudNodeController(cloud, nodes, tools),
});

const refused = (problem: string): { readonly ok: false; readonly problems: readonly string[] } => ({
  ok: false,
  problems: [problem],
});
