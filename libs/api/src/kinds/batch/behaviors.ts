import type { Behaviors } from "../../behavior.js";

export const batchBehaviors: Behaviors = [];
