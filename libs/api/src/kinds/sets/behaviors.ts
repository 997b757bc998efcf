import type { Behaviors } from "../../behavior.js";
import { objectSet } from "./set.js";

export const setsBehaviors: Behaviors = [
  ["sets/v1alpha1.Set", objectSet],
  ["sets/v1alpha1.ClusterSet", objectSet],
];
