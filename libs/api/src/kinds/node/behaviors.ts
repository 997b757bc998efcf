import type { Behaviors } from "../../behavior.js";
import { runtimeClass } from "./runtime-class.js";

export const nodeBehaviors: Behaviors = [["node/v1.RuntimeClass", runtimeClass]];
