import type { Conversions } from "../../conversion.js";

export const autoscalingConversions: Conversions = [];
