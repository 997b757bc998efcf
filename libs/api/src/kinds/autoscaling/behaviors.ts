import type { Behaviors } from "../../behavior.js";
import { autoscaler } from "./autoscaler.js";

export const autoscalingBehaviors: Behaviors = [["autoscaling/v2.HorizontalPodAutoscaler", autoscaler]];
