import type { Behaviors } from "../../behavior.js";

export const apiextensionsBehaviors: Behaviors = [];
