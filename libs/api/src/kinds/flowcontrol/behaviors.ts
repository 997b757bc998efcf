import type { Behaviors } from "../../behavior.js";

export const flowcontrolBehaviors: Behaviors = [];
