import { hash } from "node:crypto";
import type { Naming } from "@orch/naming/naming.js";
import { andThen } from "../and-then.js";
import type { WebhookConfiguration } from "../authorization-config/authorization-config.js";
import type { Attributes, Authorizer, Decision } from "../authorizer.js";
import { createInFlight } from "../in-flight.js";
import type { RuleResolver } from "../rules.js";
import { type AccessReview, accessReview, type ReviewStatus, reviewAnswer } from "./access-review.js";
import { ask, type Post, resultOf, type WebhookClock, WebhookError, type WebhookObserver } from "./ask.js";
import type { DecisionCache } from "./decision-cache.js";

export interface WebhookAuthorizerDeps {
  /** As the configuration has it; shown to clients where there was no answer. */
  readonly name: string;
  readonly config: Omit<WebhookConfiguration, "connection">;
  readonly post: Post;
  /** Of this webhook alone: another that is asked the same may answer otherwise. */
  readonly cache: DecisionCache<ReviewStatus>;
  readonly clock: WebhookClock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly observer: WebhookObserver;
  readonly naming: Naming;
}

/** A request whose names are longer than this together is not worth a place in the cache. */
const maxKeptLength = 10_000;

/** Asks a webhook (rules: Authorization webhook). Without an answer its failure policy decides: it never allows then. */
export function webhookAuthorizer(deps: WebhookAuthorizerDeps): Authorizer & RuleResolver {
  const { name, config, cache, naming } = deps;
  const inFlight = createInFlight<Decision>();
  const unanswered: Decision = {
    outcome: config.failurePolicy === "Deny" ? "deny" : "noOpinion",
    reason: `authorization webhook ${JSON.stringify(name)} gave no answer`,
  };

  const asked = async (attributes: Attributes, review: AccessReview, key: string): Promise<Decision> => {
    const status = await answerOf(deps, review);
    if (status === undefined) return unanswered;
    if (lengthOf(attributes) < maxKeptLength) {
      cache.set(key, status, status.allowed ? config.authorizedTtlMs : config.unauthorizedTtlMs);
    }
    return decisionOf(status);
  };

  return {
    authorize(attributes) {
      const review = accessReview(attributes, config.reviewVersion, naming);
      const key = hash("sha256", JSON.stringify(review), "base64url");
      return inFlight(key, () => {
        return andThen(cache.get(key), (kept) =>
          kept === undefined ? asked(attributes, review, key) : decisionOf(kept),
        );
      });
    },
    rulesFor: () => ({
      rules: [],
      incomplete: true,
      evaluationError: "webhook authorizer does not support user rule resolution",
    }),
  };
}

async function answerOf(deps: WebhookAuthorizerDeps, review: AccessReview): Promise<ReviewStatus | undefined> {
  const { config, post, observer } = deps;
  try {
    const { status, evaluationError } = await ask(
      { post, body: review, read: (answer) => reviewAnswer(answer, review) },
      { ...deps, timeoutMs: config.timeoutMs },
    );
    if (evaluationError !== "") observer.problem(`evaluation error: ${evaluationError}`);
    if (status.allowed && status.denied) observer.problem("the answer both allows and denies; it denies");
    return status;
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    observer.problem(error.message);
    if (config.failurePolicy === "NoOpinion") observer.failedOpen(resultOf(error));
    return undefined;
  }
}

/** An answer that allows and denies denies, whatever the failure policy says: the webhook has said no. */
function decisionOf({ allowed, denied, reason }: ReviewStatus): Decision {
  return { outcome: denied ? "deny" : allowed ? "allow" : "noOpinion", reason };
}

function lengthOf(attributes: Attributes): number {
  if (attributes.kind === "path") return attributes.path.length + attributes.verb.length;
  const { verb, group, version, resource, subresource, namespace, name } = attributes;
  const { fieldSelector = "", labelSelector = "" } = attributes;
  return [verb, group, version, resource, subresource, namespace, name, fieldSelector, labelSelector].join("").length;
}
