import type { Naming } from "@orch/naming/naming.js";
import { parseSigningRequest, type SigningRequest } from "./signing-request.js";
import type { CertificateSigningRequestSpec } from "./types.js";

/** Signs what v1beta1 did not say a signer for. */
export function legacySigner(naming: Naming): string {
  return naming.key("legacy-unknown");
}

/** The signer that a request of v1beta1 without one means: those of nodes are known by what they ask for. */
export function defaultSignerName(
  { request = "", usages = [] }: CertificateSigningRequestSpec,
  naming: Naming,
): string {
  const parsed = parseSigningRequest(Buffer.from(request, "base64").toString("latin1"));
  if (typeof parsed === "string" || !isOfNode(parsed)) return legacySigner(naming);
  const names = parsed.dnsNames.length + parsed.addresses;
  if (names === 0 && hasUsages(usages, "client auth")) return naming.key("kube-apiserver-client-kubelet");
  if (names > 0 && hasUsages(usages, "server auth")) return naming.key("kubelet-serving");
  return legacySigner(naming);
}

function isOfNode({ organizations, commonName, emails, uris }: SigningRequest): boolean {
  const group = organizations.length === 1 && organizations[0] === "system:nodes";
  return group && commonName.startsWith("system:node:") && emails.length === 0 && uris.length === 0;
}

/** Exactly these usages; keys that are not RSA encipher no keys. */
function hasUsages(given: readonly string[], purpose: string): boolean {
  const asked = new Set(given);
  asked.delete("key encipherment");
  return asked.size === 2 && asked.has("digital signature") && asked.has(purpose);
}
