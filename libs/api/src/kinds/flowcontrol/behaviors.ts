import type { Behaviors } from "../../behavior.js";
import { flowSchema } from "./flow-schema.js";
import { priorityLevel, priorityLevelOld, priorityLevelV1beta3 } from "./priority-level.js";

export const flowcontrolBehaviors: Behaviors = [
  ["flowcontrol/v1.FlowSchema", flowSchema],
  ["flowcontrol/v1.PriorityLevelConfiguration", priorityLevel],
  ["flowcontrol/v1beta3.PriorityLevelConfiguration", priorityLevelV1beta3],
  ["flowcontrol/v1beta2.PriorityLevelConfiguration", priorityLevelOld],
  ["flowcontrol/v1beta1.PriorityLevelConfiguration", priorityLevelOld],
  ["flowcontrol/v1alpha1.PriorityLevelConfiguration", priorityLevelOld],
];
