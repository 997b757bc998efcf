import type { Catalog, Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { askedByReview, decodeObject, setDefaults } from "@orch/api/writes.js";
import type { Authorizer } from "@orch/auth/authorizer.js";
import type { RuleResolver } from "@orch/auth/rules.js";
import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import type { Naming } from "@orch/naming/naming.js";
import { readObjectBody } from "@orch/render/body.js";
import { createRenderers } from "@orch/render/renderers.js";
import { writeOptions } from "@orch/render/write-options.js";
import { complete } from "@orch/schema/complete.js";
import { ApiError, badRequest } from "@orch/status/api-error.js";
import { warningHeaders } from "../http/warning-headers.js";
import { wantedForm } from "../representation.js";
import type { Responder } from "../respond.js";
import { optionsOf } from "../writes.js";
import { reviewAccess, reviewOwnAccess, reviewRules } from "./access-reviews.js";
import { createReviewAdmission, type ReviewAdmissionDeps } from "./admit-review.js";
import { reviewSelf, reviewToken, type TokenReviewDeps } from "./identity-reviews.js";
import type { AnswerReview, ReviewRequest } from "./review.js";

/** Any authenticated user may ask, and a question need not be as long as an object. */
const maxReviewBytes = 256 * 1024;

export interface ReviewDeps extends TokenReviewDeps, ReviewAdmissionDeps {
  readonly naming: Naming;
  readonly catalog: Catalog;
  readonly negotiator: Negotiator<ObjectFormat>;
  readonly respond: Responder;
  /** The authorizer of requests. */
  readonly authorizer: Authorizer;
  readonly rules: RuleResolver;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The kinds that are questions about who somebody is and may do. They are answered where authenticators and
 * authorizers are; nothing is stored.
 */
export interface Reviews {
  /** What answers a review of the kind; undefined for a kind that is stored. */
  of(kind: Kind): ServeReview | undefined;
}

type ServeReview = (review: ReviewRequest) => Promise<void>;

export function createReviews(deps: ReviewDeps): Reviews {
  const { naming, catalog, negotiator, respond } = deps;
  const renderers = createRenderers(catalog, naming.metaGroup);
  const known = answersOf(deps);
  const admit = createReviewAdmission(deps);

  const serve =
    (kind: Kind, answer: AnswerReview): ServeReview =>
    async (review) => {
      const { request, response, representation, target, user, onFault } = review;
      const renderer = renderers.of(kind, wantedForm(representation, request, "create"), "");
      const body = { bytes: await request.body(maxReviewBytes), contentType: request.header("content-type") ?? "" };
      review.audit?.sent(body.bytes);
      const of = { metaGroup: naming.metaGroup, kind: "CreateOptions" } as const;
      const { fieldValidation: validation } = writeOptions(optionsOf(request.query), of);
      const read = readObjectBody(kind, { formats: negotiator, body, validation });
      const warnings = [...review.warnings, ...read.warnings];
      try {
        const given = setDefaults(kind, { ...read.object, metadata: metadataOf(kind, read.object, target.namespace) });
        const admitted = await admit(kind, given, review);
        warnings.push(...(admitted.type === "refused" ? admitted.reply : admitted).warnings);
        if (admitted.type === "refused") {
          const { code, body } = admitted.reply;
          await respond.document(response, representation, { code, body, headers: warningHeaders(warnings) });
          return;
        }
        const object = askedByReview(kind, decodeObject(kind, admitted.object).object);
        const reply = whole(kind.hub, await answer({ object, user, onFault }));
        const document = renderer.document(renderer.piece(reply).at(deps.now()), "");
        const headers = warningHeaders(warnings);
        await respond.document(response, representation, { code: 201, body: document, headers });
      } catch (error) {
        // A refusal carries the warnings about the body, too.
        if (!(error instanceof ApiError)) throw error;
        respond.error(response, representation, { error, warnings });
      }
    };

  return {
    of(kind) {
      const answer = known.get(`${kind.group}/${kind.kind}`);
      return answer === undefined ? undefined : serve(kind, answer);
    },
  };
}

function answersOf(deps: ReviewDeps): ReadonlyMap<string, AnswerReview> {
  const { naming, authorizer, rules, now } = deps;
  const authentication = naming.group("authentication");
  const authorization = naming.group("authorization");
  return new Map([
    [`${authentication}/TokenReview`, reviewToken(deps)],
    [`${authentication}/SelfSubjectReview`, reviewSelf(now)],
    [`${authorization}/SubjectAccessReview`, reviewAccess(authorizer)],
    [`${authorization}/LocalSubjectAccessReview`, reviewAccess(authorizer)],
    [`${authorization}/SelfSubjectAccessReview`, reviewOwnAccess(authorizer)],
    [`${authorization}/SelfSubjectRulesReview`, reviewRules(rules)],
  ]);
}

/** The metadata without the fields that only the server sets, and with the namespace of the path. */
function metadataOf({ namespaced }: Kind, { metadata: given }: AnyObject, namespace: string): AnyObject["metadata"] {
  const {
    uid: _uid,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    namespace: named = namespace,
    ...metadata
  } = given;
  if (!namespaced) return metadata;
  if (named === namespace) return { ...metadata, namespace };
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** The answer as the reference writes it: zeros where it always writes them, and nowhere else. */
function whole(hub: Kind, answer: object): AnyObject {
  const { object } = decodeObject(hub, { kind: hub.kind, apiVersion: hub.apiVersion, ...answer });
  return withMetadata(complete(hub.type, object));
}
