import type { Behaviors } from "../../behavior.js";
import { labelledByTemplate, oldestDaemonSet, oldestDeployment } from "../apps/old-defaults.js";
import { deploymentRollback } from "../apps/rollback.js";

/** Versions that are stored as those of other groups: only their defaults stand here. */
export const extensionsBehaviors: Behaviors = [
  ["extensions/v1beta1.DaemonSet", oldestDaemonSet],
  ["extensions/v1beta1.Deployment", oldestDeployment],
  ["extensions/v1beta1.DeploymentRollback", deploymentRollback],
  ["extensions/v1beta1.ReplicaSet", labelledByTemplate],
];
