import { flagFields } from "@orch/component-config/flag-fields.js";
import { cloudManagerConfiguration } from "@orch/component-config/managers/cloud-controller-manager.js";
import type { LeaderMigration } from "@orch/component-config/managers/leader-migration.js";
import { readConfigurations } from "@orch/component-config/read-configurations.js";
import type { Naming } from "@orch/naming/naming.js";
import { cloudFields } from "../clouds/cloud-flags.js";
import { migrationBlock } from "../leader-migration/migration-flags.js";
import { genericFields, impossibleFields } from "../program/generic-fields.js";

/** Which fields of the configuration stand for which flags; the others are read and not acted on. */
export const configurationFields = {
  ...genericFields,
  "concurrent-node-syncs": "NodeController.ConcurrentNodeSyncs",
  "node-status-update-frequency": "NodeStatusUpdateFrequency",
  ...cloudFields,
} as const;

/** CloudControllerManagerConfiguration as `--config` takes it. */
export const configurationFile = (naming: Naming) =>
  flagFields({
    of: cloudManagerConfiguration(naming),
    fields: configurationFields,
    others: [migrationBlock],
    impossible: impossibleFields,
  });

/** What documents of it say of controllers that move; undefined where there are none. */
export function configuredMigration(documents: readonly string[], naming: Naming): LeaderMigration | undefined {
  const kind = cloudManagerConfiguration(naming);
  const read = documents.length === 0 ? undefined : readConfigurations(documents.join("\n---\n"), [kind]);
  return read?.ok === true ? read.documents.map(kind.from)[0]?.Generic.LeaderMigration : undefined;
}
