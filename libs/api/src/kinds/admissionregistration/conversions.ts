import { type Conversions, sameFields } from "../../conversion.js";

export const admissionregistrationConversions: Conversions = [
  ["admissionregistration/v1beta1.MutatingWebhookConfiguration", sameFields],
  ["admissionregistration/v1beta1.ValidatingWebhookConfiguration", sameFields],
];
