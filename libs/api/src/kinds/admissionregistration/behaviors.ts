import type { Behaviors } from "../../behavior.js";
import { mutatingAdmissionPolicy, mutatingAdmissionPolicyBinding } from "./mutating-policy.js";
import { validatingAdmissionPolicy, validatingAdmissionPolicyBinding } from "./validating-policy.js";
import { webhookConfiguration } from "./webhooks.js";

export const admissionregistrationBehaviors: Behaviors = [
  ["admissionregistration/v1.MutatingWebhookConfiguration", webhookConfiguration],
  ["admissionregistration/v1.ValidatingWebhookConfiguration", webhookConfiguration],
  ["admissionregistration/v1.ValidatingAdmissionPolicy", validatingAdmissionPolicy],
  ["admissionregistration/v1.ValidatingAdmissionPolicyBinding", validatingAdmissionPolicyBinding],
  ["admissionregistration/v1alpha1.MutatingAdmissionPolicy", mutatingAdmissionPolicy],
  ["admissionregistration/v1alpha1.MutatingAdmissionPolicyBinding", mutatingAdmissionPolicyBinding],
];
