import type { Conversions } from "../../conversion.js";

export const resourceConversions: Conversions = [];
