import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { resourceAdmit } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { isObject } from "@orch/schema/descriptor.js";
import { ApiError } from "@orch/status/api-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { readJson } from "@orch/status/read-json.js";
import { formOf } from "../representation.js";
import { timeLimitOf } from "../time-limit.js";
import { optionsOf } from "../writes.js";
import type { ReviewRequest } from "./review.js";

export interface ReviewAdmissionDeps {
  readonly resources: (group: string) => Caller;
  readonly requestTimeoutMs: number;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
}

/** What came of a review's admission. */
export type ReviewAdmitted =
  /** As admission left it, in the version of the request. */
  | { readonly type: "admitted"; readonly object: AnyObject; readonly warnings: readonly string[] }
  /** Refused with warnings: the answer as it is to be sent. */
  | { readonly type: "refused"; readonly reply: WriteReply };

/** Has a review that is about to be answered admitted by the service of its group. @throws ApiError of who refuses it */
export type AdmitReview = (kind: Kind, object: AnyObject, review: ReviewRequest) => Promise<ReviewAdmitted>;

/**
 * How long a kind is left alone that nobody had to do with: a configuration counts within a second on all services, and
 * reviews are asked far more often.
 */
const quietMs = 500;

export function createReviewAdmission({ resources, requestTimeoutMs, monotonic }: ReviewAdmissionDeps): AdmitReview {
  const quietUntil = new Map<Kind, number>();
  return async (kind, object, review) => {
    if (monotonic() < (quietUntil.get(kind) ?? Number.NEGATIVE_INFINITY)) {
      return { type: "admitted", object, warnings: [] };
    }
    const { request, target, representation, user } = review;
    const asked = {
      ...{ verb: "create" as const, ...target, user },
      body: Buffer.from(jsonText({ ...object, kind: kind.kind, apiVersion: kind.apiVersion })),
      contentType: "application/json",
      options: optionsOf(request.query),
      form: formOf(representation, request, "create"),
      userAgent: request.header("user-agent") ?? "",
      ifMatch: "",
    };
    const reply = await resources(target.group).call(resourceAdmit, asked, {
      deadlineMs: timeLimitOf(request.query, requestTimeoutMs),
    });
    if (reply.code >= 400) return { type: "refused", reply };
    if (reply.body.length === 0) {
      quietUntil.set(kind, monotonic() + quietMs);
      return { type: "admitted", object, warnings: reply.warnings };
    }
    return { type: "admitted", object: admittedObject(reply.body), warnings: reply.warnings };
  };
}

function admittedObject(body: Buffer): AnyObject {
  const tree = readJson(body.toString());
  if (!isObject(tree)) throw new ApiError("InternalError", "the admitted review is no object");
  return withMetadata(tree);
}
