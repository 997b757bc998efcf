import type { Conversions } from "../../conversion.js";

export const appsConversions: Conversions = [];
