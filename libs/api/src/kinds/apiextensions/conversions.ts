import type { Conversions } from "../../conversion.js";

export const apiextensionsConversions: Conversions = [];
