import type { Behaviors } from "../../behavior.js";

export const appsBehaviors: Behaviors = [];
