import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import type { Naming } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Advice } from "../../write/advice.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refused.js";
import { type ReviewSpec, type ReviewStatus, reviewOf } from "./review.js";

export interface ImagePolicyDeps {
  readonly naming: Naming;
  /** Rejects where the backend does not answer. */
  readonly ask: (spec: ReviewSpec) => Promise<ReviewStatus>;
  /** What is decided then. */
  readonly defaultAllow: boolean;
}

/** A backend of the cluster's says which images may run. */
export function imagePolicyWebhook({ naming, ask, defaultAllow }: ImagePolicyDeps): AdmissionPlugin {
  const prefix = `imagepolicywebhook.${naming.group("image-policy")}/`;
  return {
    name: "ImagePolicyWebhook",
    handles: ({ group, plural }, subresource) => isAboutImages({ group, plural, subresource }),
    // Somebody outside is asked: a thread cannot.
    asks: ({ kind: { group, plural }, request: { subresource } }, operation) =>
      operation !== "DELETE" && isAboutImages({ group, plural, subresource }),
    async validate({ write, object }): Promise<Advice> {
      const pod: Pod = object;
      let status: ReviewStatus;
      try {
        status = await ask(reviewOf(pod, write.request, naming));
      } catch (error) {
        if (!defaultAllow) throw refused(write, object, messageOf(error));
        return { auditAnnotations: [{ key: `${prefix}failed-open`, value: "true" }] };
      }
      const { allowed, reason, auditAnnotations } = status;
      const notes = Object.entries(auditAnnotations).map(([key, value]) => ({ key: prefix + key, value }));
      if (allowed) return { auditAnnotations: notes };
      const why =
        reason === ""
          ? "one or more images rejected by webhook backend"
          : `image policy webhook backend denied one or more images: ${reason}`;
      return { auditAnnotations: notes, refusal: refused(write, object, why) };
    },
  };
}

function isAboutImages(of: { readonly group: string; readonly plural: string; readonly subresource: string }): boolean {
  return of.group === "" && of.plural === "pods" && (of.subresource === "" || of.subresource === "ephemeralcontainers");
}
