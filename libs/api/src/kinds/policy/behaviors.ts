import type { Behaviors } from "../../behavior.js";

export const policyBehaviors: Behaviors = [];
