import type { Kind } from "@orch/api/catalog.js";
import type { CertificateSigningRequest } from "@orch/api/kinds/certificates/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { ResourceAttributes } from "@orch/auth/authorizer.js";
import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import { forbidden } from "@orch/status/api-error.js";
import { type NewState, resourceOf, type Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";

/** Who approves or denies requests for certificates must have the verb `approve` for their signer. */
export function certificateApproval(naming: Naming): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    handles: (kind, subresource) => subresource === "approval" && isSigningRequest(kind, naming),
    validate: (state) => requireRight(state, "approve"),
  };
}

/** Who issues certificates, or says why there is none, must have the verb `sign` for the signer. */
export function certificateSigning(naming: Naming): AdmissionPlugin {
  return {
    name: "CertificateSigning",
    handles: (kind, subresource) => subresource === "status" && isSigningRequest(kind, naming),
    validate(state) {
      const [now, before] = [statusOf(state.object), statusOf(state.old)];
      const sameCertificate = now.certificate === before.certificate;
      if (sameCertificate && equalJson(now.conditions ?? [], before.conditions ?? [])) return undefined;
      return requireRight(state, "sign");
    },
  };
}

export function isSigningRequest(kind: Kind, naming: Naming): boolean {
  return kind.group === naming.group("certificates") && kind.kind === "CertificateSigningRequest";
}

/** An object of the kind that `handles` has chosen: its fields were validated. */
export function asSigningRequest(object: AnyObject): CertificateSigningRequest {
  return object;
}

const statusOf = (object: AnyObject | undefined): NonNullable<CertificateSigningRequest["status"]> =>
  object === undefined ? {} : (asSigningRequest(object).status ?? {});

async function requireRight({ write, object, old }: NewState, verb: "approve" | "sign"): Promise<void> {
  // The signer can not be changed; the stored one is what the certificate is for.
  const signer = asSigningRequest(old ?? object).spec?.signerName ?? "";
  if (await mayOnSigner(write, verb, signer)) return;
  const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
  throw forbidden(resourceOf(write.kind), object.metadata.name ?? "", why);
}

/** `example.com/s` may be done by whoever may do it for that name or for `example.com/*`. */
export async function mayOnSigner(
  { deps, kind, request, span }: Write,
  verb: string,
  signer: string,
): Promise<boolean> {
  const domain = signer.slice(0, Math.max(0, signer.indexOf("/")));
  for (const name of [signer, `${domain}/*`]) {
    const attributes: ResourceAttributes = {
      kind: "resource",
      user: request.user,
      verb,
      group: kind.group,
      version: "*",
      resource: "signers",
      subresource: "",
      namespace: "",
      name,
    };
    if ((await deps.permissions.authorizer.authorize(attributes, span)).outcome === "allow") return true;
  }
  return false;
}
