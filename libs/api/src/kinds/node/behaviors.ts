import type { Behaviors } from "../../behavior.js";

export const nodeBehaviors: Behaviors = [];
