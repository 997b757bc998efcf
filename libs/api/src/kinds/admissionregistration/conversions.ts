import type { Conversions } from "../../conversion.js";

export const admissionregistrationConversions: Conversions = [];
