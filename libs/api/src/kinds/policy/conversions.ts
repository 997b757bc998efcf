import type { Conversions } from "../../conversion.js";
import { oldBudget } from "./pod-disruption-budget.js";

export const policyConversions: Conversions = [["policy/v1beta1.PodDisruptionBudget", oldBudget]];
