import type { Behaviors } from "../../behavior.js";

export const networkingBehaviors: Behaviors = [];
