import type { Behaviors } from "../../behavior.js";

export const rbacBehaviors: Behaviors = [];
