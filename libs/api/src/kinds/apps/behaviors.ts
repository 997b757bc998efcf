import type { Behaviors } from "../../behavior.js";
import { controllerRevision } from "./controller-revision.js";
import { daemonSet } from "./daemon-set.js";
import { deployment } from "./deployment.js";
import { labelledByTemplate, oldestStatefulSet } from "./old-defaults.js";
import { replicaSet } from "./replica-set.js";
import { deploymentRollback } from "./rollback.js";
import { statefulSet } from "./stateful-set.js";

export const appsBehaviors: Behaviors = [
  ["apps/v1.ControllerRevision", controllerRevision],
  ["apps/v1.DaemonSet", daemonSet],
  ["apps/v1.Deployment", deployment],
  ["apps/v1.ReplicaSet", replicaSet],
  ["apps/v1.StatefulSet", statefulSet],
  ["apps/v1beta1.Deployment", labelledByTemplate],
  ["apps/v1beta1.DeploymentRollback", deploymentRollback],
  ["apps/v1beta1.StatefulSet", oldestStatefulSet],
];
