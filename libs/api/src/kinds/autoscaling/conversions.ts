import { type Conversions, sameFields } from "../../conversion.js";
import { v1 } from "./v1.js";
import { v2beta1 } from "./v2beta1.js";

export const autoscalingConversions: Conversions = [
  ["autoscaling/v1.HorizontalPodAutoscaler", v1],
  ["autoscaling/v2beta1.HorizontalPodAutoscaler", v2beta1],
  ["autoscaling/v2beta2.HorizontalPodAutoscaler", sameFields],
];
