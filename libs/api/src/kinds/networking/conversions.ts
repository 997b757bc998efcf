import type { Conversions } from "../../conversion.js";

export const networkingConversions: Conversions = [];
