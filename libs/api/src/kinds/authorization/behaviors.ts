import type { Behaviors } from "../../behavior.js";

export const authorizationBehaviors: Behaviors = [];
