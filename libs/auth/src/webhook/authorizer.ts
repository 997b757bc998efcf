import { hash } from "node:crypto";
import type { Naming } from "@orch/naming/naming.js";
import type { Span } from "@orch/status/span.js";
import { andThen } from "../and-then.js";
import type { WebhookConfiguration } from "../authorization-config/authorization-config.js";
import { type Attributes, type Authorizer, type Decision, noOpinion } from "../authorizer.js";
import type { ConditionMatch } from "../expressions/match-conditions.js";
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
  readonly observer: WebhookObserver & ConditionObserver;
  readonly naming: Naming;
}

/** What is to be told of match conditions. */
export interface ConditionObserver {
  /** Of each evaluation: `apiserver_authorization_match_condition_…`. */
  matched(result: ConditionMatch["kind"], seconds: number): void;
}

/** A request whose names are longer than this together is not worth a place in the cache. */
const maxKeptLength = 10_000;

/** Asks a webhook (rules: Authorization webhook). Without an answer its failure policy decides: it never allows then. */
export function webhookAuthorizer(deps: WebhookAuthorizerDeps): Authorizer & RuleResolver {
  const { name, config, cache, naming } = deps;
  const inFlight = createInFlight<Decision>();
  const failing = (why: string): Decision => ({
    outcome: config.failurePolicy === "Deny" ? "deny" : "noOpinion",
    reason: `authorization webhook ${JSON.stringify(name)} ${why}`,
    failed: true,
  });
  const unanswered = failing("gave no answer");
  const unmatched = failing("has match conditions that failed");

  const asked = async ({ attributes, review, key, span }: Question): Promise<Decision> => {
    const status = await answerOf(deps, review, span);
    if (status === undefined) return unanswered;
    if (lengthOf(attributes) < maxKeptLength) {
      cache.set(key, status, status.allowed ? config.authorizedTtlMs : config.unauthorizedTtlMs);
    }
    return decisionOf(status);
  };

  /** What is decided without asking; undefined where the webhook is to be asked. */
  const unasked = (attributes: Attributes): Decision | undefined => {
    if (config.matchConditions === undefined) return undefined;
    const start = deps.clock.monotonic();
    const match = config.matchConditions.evaluate(attributes);
    deps.observer.matched(match.kind, (deps.clock.monotonic() - start) / 1000);
    if (match.kind === "matches") return undefined;
    if (match.kind === "excluded") return noOpinion;
    for (const error of match.errors) deps.observer.problem(error);
    return unmatched;
  };

  return {
    authorize(attributes, span) {
      const before = unasked(attributes);
      if (before !== undefined) return before;
      const review = accessReview(attributes, config.reviewVersion, naming);
      const key = hash("sha256", JSON.stringify(review), "base64url");
      return inFlight(key, () => {
        return andThen(cache.get(key), (kept) =>
          kept === undefined ? asked({ attributes, review, key, span }) : decisionOf(kept),
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

interface Question {
  readonly attributes: Attributes;
  readonly review: AccessReview;
  readonly key: string;
  readonly span: Span | undefined;
}

async function answerOf(
  deps: WebhookAuthorizerDeps,
  review: AccessReview,
  span: Span | undefined,
): Promise<ReviewStatus | undefined> {
  const { config, post, observer } = deps;
  try {
    const { status, evaluationError } = await ask(
      { post, body: review, read: (answer) => reviewAnswer(answer, review) },
      { ...deps, timeoutMs: config.timeoutMs, span },
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
