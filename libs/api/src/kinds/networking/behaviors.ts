import type { Behaviors } from "../../behavior.js";
import { ipAddress, serviceCidr } from "./addresses.js";
import { ingress } from "./ingress.js";
import { ingressClass } from "./ingress-class.js";
import { networkPolicy, networkPolicyDefaults } from "./network-policy.js";

export const networkingBehaviors: Behaviors = [
  ["networking/v1.Ingress", ingress],
  ["networking/v1.IngressClass", ingressClass],
  ["networking/v1.NetworkPolicy", networkPolicy],
  ["extensions/v1beta1.NetworkPolicy", networkPolicyDefaults],
  ["networking/v1beta1.IPAddress", ipAddress],
  ["networking/v1beta1.ServiceCIDR", serviceCidr],
];
