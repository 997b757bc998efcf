import type { Conversions } from "../../conversion.js";

export const discoveryConversions: Conversions = [];
