import type { Conversions } from "../../conversion.js";

export const batchConversions: Conversions = [];
