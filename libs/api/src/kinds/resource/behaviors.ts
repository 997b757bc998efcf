import type { Behaviors } from "../../behavior.js";

export const resourceBehaviors: Behaviors = [];
