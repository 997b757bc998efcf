import type { Conversions } from "../../conversion.js";

export const flowcontrolConversions: Conversions = [];
