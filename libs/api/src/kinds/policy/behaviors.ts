import type { Behaviors } from "../../behavior.js";
import { podDisruptionBudget } from "./pod-disruption-budget.js";
import { podSecurityPolicy } from "./pod-security-policy.js";

export const policyBehaviors: Behaviors = [
  ["policy/v1.PodDisruptionBudget", podDisruptionBudget],
  ["policy/v1beta1.PodSecurityPolicy", podSecurityPolicy],
];
