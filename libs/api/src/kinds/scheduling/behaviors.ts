import type { Behaviors } from "../../behavior.js";
import { priorityClass } from "./priority-class.js";

export const schedulingBehaviors: Behaviors = [["scheduling/v1.PriorityClass", priorityClass]];
