import type { Behaviors } from "../../behavior.js";
import { deviceClass } from "./device-class.js";
import { resourceClaim, resourceClaimTemplate } from "./resource-claim.js";
import { resourceSlice } from "./resource-slice.js";

export const resourceBehaviors: Behaviors = [
  ["resource/v1beta1.DeviceClass", deviceClass],
  ["resource/v1beta1.ResourceClaim", resourceClaim],
  ["resource/v1beta1.ResourceClaimTemplate", resourceClaimTemplate],
  ["resource/v1beta1.ResourceSlice", resourceSlice],
];
