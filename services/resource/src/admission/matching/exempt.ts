import { isStored, type Kind } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Write } from "../../write/write.js";
import type { Operation } from "./question.js";

/** Whether nobody outside is asked about such writes. */
export type IsExempt = (write: Write, operation: Operation) => boolean;

/**
 * Who decides about configurations of webhooks and policies could lock everybody out. What is deleted by way of a
 * subresource was asked about as what was posted to it, an Eviction.
 */
export function exemptFromWebhooks(naming: Naming): IsExempt {
  const group = naming.group("admissionregistration");
  return ({ requested, request }, operation) =>
    requested.group === group || (operation === "DELETE" && request.subresource !== "");
}

/** Nor are policies asked about reviews: who may do what would depend on them. */
export function exemptFromPolicies(naming: Naming): IsExempt {
  const isExempt = exemptFromWebhooks(naming);
  const groups = [naming.group("authentication"), naming.group("authorization")];
  const isReview = (kind: Kind): boolean => groups.includes(kind.group) && !isStored(kind);
  return (write, operation) => isExempt(write, operation) || isReview(write.requested);
}
