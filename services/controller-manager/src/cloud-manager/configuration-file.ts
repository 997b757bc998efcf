import { flagFields } from "@orch/component-config/flag-fields.js";
import { cloudManagerConfiguration } from "@orch/component-config/managers/cloud-controller-manager.js";
import type { Naming } from "@orch/naming/naming.js";
import { cloudFields } from "../clouds/cloud-flags.js";
import { genericFields } from "../generic-fields.js";

/** Which fields of the configuration stand for which flags; the others are read and not acted on. */
export const configurationFields = {
  ...genericFields,
  "concurrent-node-syncs": "NodeController.ConcurrentNodeSyncs",
  "node-status-update-frequency": "NodeStatusUpdateFrequency",
  ...cloudFields,
} as const;

/** CloudControllerManagerConfiguration as `--config` takes it. */
export const configurationFile = (naming: Naming) =>
  flagFields({ of: cloudManagerConfiguration(naming), fields: configurationFields });
