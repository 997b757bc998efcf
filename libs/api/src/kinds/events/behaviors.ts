import type { Behaviors } from "../../behavior.js";

export const eventsBehaviors: Behaviors = [];
