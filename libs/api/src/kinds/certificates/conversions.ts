import type { Conversions } from "../../conversion.js";

export const certificatesConversions: Conversions = [];
