import type { Behaviors } from "../../behavior.js";

export const certificatesBehaviors: Behaviors = [];
