import type { Behaviors } from "../../behavior.js";

export const admissionregistrationBehaviors: Behaviors = [];
