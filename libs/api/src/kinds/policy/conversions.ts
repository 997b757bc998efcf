import type { Conversions } from "../../conversion.js";

export const policyConversions: Conversions = [];
