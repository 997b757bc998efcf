import type { Behaviors } from "../../behavior.js";
import { signingRequest, signingRequestV1beta1 } from "./certificate-signing-request.js";
import { clusterTrustBundle } from "./cluster-trust-bundle.js";

export const certificatesBehaviors: Behaviors = [
  ["certificates/v1.CertificateSigningRequest", signingRequest],
  ["certificates/v1beta1.CertificateSigningRequest", signingRequestV1beta1],
  ["certificates/v1alpha1.ClusterTrustBundle", clusterTrustBundle],
];
