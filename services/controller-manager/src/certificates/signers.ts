import { legacySigner } from "@orch/api/kinds/certificates/default-signer.js";
import type { SigningRequest } from "@orch/api/kinds/certificates/signing-request.js";
import type { Naming } from "@orch/naming/naming.js";

/** The built-in signers, as the configuration names them (rules: Certificate signers). */
export const signerKinds = ["agent-serving", "agent-client", "apiserver-client", "legacy-unknown"] as const;
export type SignerKind = (typeof signerKinds)[number];

/** What a signer refuses; undefined where nothing is wrong. */
type Rule = (request: SigningRequest, usages: readonly string[]) => string | undefined;

const nodeGroup = "system:nodes";
const nodePrefix = "system:node:";

const rules: Readonly<Record<SignerKind, Rule>> = {
  "agent-serving": (request, usages) =>
    first(
      notOfNodes(request),
      request.dnsNames.length + request.addresses === 0 && "DNS or IP subjectAltName is required",
      request.emails.length > 0 && notAllowed("Email"),
      request.uris.length > 0 && notAllowed("URI"),
      otherUsages(usages, "server auth"),
      notNamedAsNode(request),
    ),
  "agent-client": (request, usages) =>
    first(
      notOfNodes(request),
      request.dnsNames.length > 0 && notAllowed("DNS"),
      request.emails.length > 0 && notAllowed("Email"),
      request.addresses > 0 && notAllowed("IP"),
      request.uris.length > 0 && notAllowed("URI"),
      notNamedAsNode(request),
      otherUsages(usages, "client auth"),
    ),
  "apiserver-client": (_request, usages) => {
    const others = usages.find((u) => !["client auth", "digital signature", "key encipherment"].includes(u));
    return first(
      others !== undefined && `invalid usage for client certificate: ${others}`,
      !usages.includes("client auth") && "missing required usage for client certificate: client auth",
    );
  },
  "legacy-unknown": () => undefined,
};

export function signerName(kind: SignerKind, naming: Naming): string {
  const names: Readonly<Record<SignerKind, string>> = {
    "agent-serving": naming.key("kubelet-serving"),
    "agent-client": naming.key("kube-apiserver-client-kubelet"),
    "apiserver-client": naming.key("kube-apiserver-client"),
    "legacy-unknown": legacySigner(naming),
  };
  return names[kind];
}

/** Why a signer does not sign a request; undefined where it may. */
export function refusal(kind: SignerKind, request: SigningRequest, usages: readonly string[]): string | undefined {
  return rules[kind](request, usages);
}

const first = (...problems: readonly (string | false | undefined)[]): string | undefined =>
  problems.find((p): p is string => typeof p === "string");

const notAllowed = (what: string): string => `${what} subjectAltNames are not allowed`;

function notOfNodes({ organizations }: SigningRequest): string | false {
  return !(organizations.length === 1 && organizations[0] === nodeGroup) && `subject organization is not ${nodeGroup}`;
}

function notNamedAsNode({ commonName }: SigningRequest): string | false {
  return !commonName.startsWith(nodePrefix) && `subject common name does not begin with ${nodePrefix}`;
}

/** Exactly these; keys that are not RSA encipher no keys. */
function otherUsages(usages: readonly string[], purpose: string): string | false {
  const given = new Set(usages);
  given.delete("key encipherment");
  const fit = given.size === 2 && given.has("digital signature") && given.has(purpose);
  return !fit && `usages did not match [${["digital signature", "key encipherment", purpose].sort().join(" ")}]`;
}
