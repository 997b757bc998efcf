import type { Conversions } from "../../conversion.js";

export const eventsConversions: Conversions = [];
