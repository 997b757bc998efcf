import { parseSigningRequest } from "@orch/api/kinds/certificates/signing-request.js";
import type { Naming } from "@orch/naming/naming.js";
import { forbidden } from "@orch/status/api-error.js";
import { resourceOf } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import { asSigningRequest, isSigningRequest } from "./certificate-signers.js";

/** Nobody asks for a client certificate of the group that may do everything. */
export function certificateSubjectRestriction(naming: Naming): AdmissionPlugin {
  const signer = naming.key("kube-apiserver-client");
  return {
    name: "CertificateSubjectRestriction",
    handles: (kind, subresource) => subresource === "" && isSigningRequest(kind, naming),
    validate({ write, object, old }) {
      const { request = "", signerName } = asSigningRequest(object).spec ?? {};
      if (old !== undefined || signerName !== signer) return;
      const parsed = parseSigningRequest(Buffer.from(request, "base64").toString("latin1"));
      if (typeof parsed === "string" || !parsed.organizations.includes(naming.mastersGroup)) return;
      const why = `use of ${signer} signer with ${naming.mastersGroup} group is not allowed`;
      throw forbidden(resourceOf(write.kind), object.metadata.name ?? "", why);
    },
  };
}
