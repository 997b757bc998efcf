import type { Behaviors } from "../../behavior.js";

export const apiregistrationBehaviors: Behaviors = [];
