import type { Behaviors } from "../../behavior.js";

export const storageBehaviors: Behaviors = [];
