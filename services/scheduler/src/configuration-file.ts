import { flagFields } from "@orch/component-config/flag-fields.js";
import { readConfigurations } from "@orch/component-config/read-configurations.js";
import { schedulerConfiguration } from "@orch/component-config/scheduler/scheduler.js";
import type { SchedulerConfiguration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import { noContentionProfile } from "@orch/component-config/shared/shared.js";
import type { Naming } from "@orch/naming/naming.js";

/** Which fields of the configuration stand for which flags. */
export const configurationFields = {
  orchconfig: "clientConnection.orchconfig",
  profiling: "enableProfiling",
  "leader-elect": "leaderElection.leaderElect",
  "leader-elect-lease-duration": "leaderElection.leaseDuration",
  "leader-elect-renew-deadline": "leaderElection.renewDeadline",
  "leader-elect-retry-period": "leaderElection.retryPeriod",
  "leader-elect-resource-name": "leaderElection.resourceName",
  "leader-elect-resource-namespace": "leaderElection.resourceNamespace",
} as const;

/** What decisions are made by. */
const others = [
  ...["profiles", "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds"],
  ...["delayCacheUntilActive", "extenders", "parallelism"],
];

/** What nobody can act on. */
const impossible = { enableContentionProfiling: noContentionProfile };

/** OrchSchedulerConfiguration as `--config` takes it. */
export const configurationFile = (naming: Naming) =>
  flagFields({ of: schedulerConfiguration(naming), fields: configurationFields, others, impossible });

export type ReadScheduler =
  | { readonly ok: true; readonly config: SchedulerConfiguration }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The configuration that documents give; the default one where there are none. */
export function readScheduler(
  documents: readonly string[],
  naming: Naming,
  gates: { readonly dynamicResources?: boolean } = {},
): ReadScheduler {
  const kind = schedulerConfiguration(naming, gates);
  if (documents.length === 0) return { ok: true, config: kind.defaults() };
  const read = readConfigurations(documents.join("\n---\n"), [kind]);
  if (!read.ok) return read;
  const [document] = read.documents;
  return { ok: true, config: (document && kind.from(document)) ?? kind.defaults() };
}
