import type { BehaviorOf } from "../behavior.js";
import { admissionregistrationBehaviors } from "./admissionregistration/behaviors.js";
import { apiextensionsBehaviors } from "./apiextensions/behaviors.js";
import { apiregistrationBehaviors } from "./apiregistration/behaviors.js";
import { apiserverinternalBehaviors } from "./apiserverinternal/behaviors.js";
import { appsBehaviors } from "./apps/behaviors.js";
import { authenticationBehaviors } from "./authentication/behaviors.js";
import { authorizationBehaviors } from "./authorization/behaviors.js";
import { autoscalingBehaviors } from "./autoscaling/behaviors.js";
import { batchBehaviors } from "./batch/behaviors.js";
import { certificatesBehaviors } from "./certificates/behaviors.js";
import { coordinationBehaviors } from "./coordination/behaviors.js";
import { coreBehaviors } from "./core/behaviors.js";
import { discoveryBehaviors } from "./discovery/behaviors.js";
import { eventsBehaviors } from "./events/behaviors.js";
import { extensionsBehaviors } from "./extensions/behaviors.js";
import { flowcontrolBehaviors } from "./flowcontrol/behaviors.js";
import { networkingBehaviors } from "./networking/behaviors.js";
import { nodeBehaviors } from "./node/behaviors.js";
import { policyBehaviors } from "./policy/behaviors.js";
import { rbacBehaviors } from "./rbac/behaviors.js";
import { resourceBehaviors } from "./resource/behaviors.js";
import { schedulingBehaviors } from "./scheduling/behaviors.js";
import { setsBehaviors } from "./sets/behaviors.js";
import { storageBehaviors } from "./storage/behaviors.js";
import { storagemigrationBehaviors } from "./storagemigration/behaviors.js";

/** The kinds that need more than data, by the names of their types. */
export const behaviors: ReadonlyMap<string, BehaviorOf> = new Map<string, BehaviorOf>([
  ...admissionregistrationBehaviors,
  ...apiextensionsBehaviors,
  ...apiregistrationBehaviors,
  ...apiserverinternalBehaviors,
  ...appsBehaviors,
  ...authenticationBehaviors,
  ...authorizationBehaviors,
  ...autoscalingBehaviors,
  ...batchBehaviors,
  ...certificatesBehaviors,
  ...coordinationBehaviors,
  ...coreBehaviors,
  ...discoveryBehaviors,
  ...eventsBehaviors,
  ...extensionsBehaviors,
  ...flowcontrolBehaviors,
  ...networkingBehaviors,
  ...nodeBehaviors,
  ...policyBehaviors,
  ...rbacBehaviors,
  ...resourceBehaviors,
  ...schedulingBehaviors,
  ...setsBehaviors,
  ...storageBehaviors,
  ...storagemigrationBehaviors,
]);
