import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refused.js";
import { mayOnSigner } from "./certificate-signers.js";

/** Who says which authorities a signer has must have the verb `attest` for it. */
export function clusterTrustBundleAttest(naming: Naming): AdmissionPlugin {
  const group = naming.group("certificates");
  return {
    name: "ClusterTrustBundleAttest",
    handles: (kind, subresource) => subresource === "" && kind.group === group && kind.plural === "clustertrustbundles",
    async validate({ write, object, old }) {
      const signer = signerOf(object);
      if (signer === "" || (old !== undefined && equalJson(object["spec"], old["spec"]))) return;
      if (await mayOnSigner(write, "attest", signer)) return;
      throw refused(write, object, `user not permitted to attest for signerName ${JSON.stringify(signer)}`);
    },
  };
}

function signerOf(object: AnyObject): string {
  const name = valueAt(object, "spec.signerName");
  return typeof name === "string" ? name : "";
}
