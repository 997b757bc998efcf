import type { Behaviors } from "../../behavior.js";

export const coordinationBehaviors: Behaviors = [];
