import type { Behaviors } from "../../behavior.js";

export const authenticationBehaviors: Behaviors = [];
