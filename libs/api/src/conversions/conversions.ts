import type { ConversionOf } from "../conversion.js";

/**
 * The versions that differ from their hub in more than the name, by the names of their types
 * (`autoscaling/v1.HorizontalPodAutoscaler`). A version that is not here has the hub's very shape.
 */
export const conversions: ReadonlyMap<string, ConversionOf> = new Map<string, ConversionOf>([]);
