import type { Conversions } from "../../conversion.js";

export const extensionsConversions: Conversions = [];
