import type { ConversionOf } from "../conversion.js";
import { admissionregistrationConversions } from "./admissionregistration/conversions.js";
import { apiextensionsConversions } from "./apiextensions/conversions.js";
import { appsConversions } from "./apps/conversions.js";
import { authorizationConversions } from "./authorization/conversions.js";
import { autoscalingConversions } from "./autoscaling/conversions.js";
import { batchConversions } from "./batch/conversions.js";
import { certificatesConversions } from "./certificates/conversions.js";
import { coordinationConversions } from "./coordination/conversions.js";
import { discoveryConversions } from "./discovery/conversions.js";
import { eventsConversions } from "./events/conversions.js";
import { extensionsConversions } from "./extensions/conversions.js";
import { flowcontrolConversions } from "./flowcontrol/conversions.js";
import { networkingConversions } from "./networking/conversions.js";
import { nodeConversions } from "./node/conversions.js";
import { policyConversions } from "./policy/conversions.js";
import { rbacConversions } from "./rbac/conversions.js";
import { resourceConversions } from "./resource/conversions.js";
import { storageConversions } from "./storage/conversions.js";

/**
 * The versions that differ from their hub in more than the name and what their data moves, by the names of their types
 * (`autoscaling/v1.HorizontalPodAutoscaler`). A version that is not here and moves nothing has the hub's very shape.
 */
export const conversions: ReadonlyMap<string, ConversionOf> = new Map<string, ConversionOf>([
  ...admissionregistrationConversions,
  ...apiextensionsConversions,
  ...appsConversions,
  ...authorizationConversions,
  ...autoscalingConversions,
  ...batchConversions,
  ...certificatesConversions,
  ...coordinationConversions,
  ...discoveryConversions,
  ...eventsConversions,
  ...extensionsConversions,
  ...flowcontrolConversions,
  ...networkingConversions,
  ...nodeConversions,
  ...policyConversions,
  ...rbacConversions,
  ...resourceConversions,
  ...storageConversions,
]);
