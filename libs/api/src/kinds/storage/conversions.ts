import type { Conversions } from "../../conversion.js";

export const storageConversions: Conversions = [];
