import type { Conversions } from "../../conversion.js";
import { daemonSetWithGeneration, deploymentWithRollback } from "../apps/old-conversions.js";

export const extensionsConversions: Conversions = [
  ["extensions/v1beta1.DaemonSet", daemonSetWithGeneration],
  ["extensions/v1beta1.Deployment", deploymentWithRollback],
];
