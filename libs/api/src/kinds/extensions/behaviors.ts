import type { Behaviors } from "../../behavior.js";

/** Versions that are stored as those of other groups: only their defaults stand here. */
export const extensionsBehaviors: Behaviors = [];
