import type { Conversions } from "../../conversion.js";
import { deploymentWithRollback } from "./old-conversions.js";

export const appsConversions: Conversions = [["apps/v1beta1.Deployment", deploymentWithRollback]];
