import type { Conversions } from "../../conversion.js";

export const nodeConversions: Conversions = [];
