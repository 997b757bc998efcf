import type { Behaviors } from "../../behavior.js";

export const schedulingBehaviors: Behaviors = [];
