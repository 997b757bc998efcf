import type { Conversions } from "../../conversion.js";

export const authorizationConversions: Conversions = [];
