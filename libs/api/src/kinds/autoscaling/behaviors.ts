import type { Behaviors } from "../../behavior.js";

export const autoscalingBehaviors: Behaviors = [];
