import { andThen } from "@orch/auth/and-then.js";
import type { Authenticator, Verdict } from "@orch/auth/authenticator.js";
import type { Authorizer, Decision } from "@orch/auth/authorizer.js";
import type { ConditionMatch } from "@orch/auth/expressions/match-conditions.js";
import type { JwtObserver } from "@orch/auth/jwt/jwt-authenticator.js";
import type { WebhookObserver } from "@orch/auth/webhook/ask.js";
import type { ConditionObserver } from "@orch/auth/webhook/authorizer.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { SharedCacheObserver } from "./redis-cache.js";

/** What is counted of who is who; the reference's names where it has them. */
export interface AuthenticationMetrics {
  /** Counts what an authenticator says of requests. */
  counted(authenticator: Authenticator): Authenticator;
  webhook(name: string, log: Log): Pick<WebhookObserver, "asked" | "problem">;
  jwt(log: Log): JwtObserver;
  /** A change of the configuration file: whether it is in force. */
  reloaded(result: Reload): void;
}

/** What is counted of who may do what. */
export interface AuthorizationMetrics {
  /** Counts what one authorizer of the chain decides. */
  decided(authorizer: Authorizer, labels: { readonly type: string; readonly name: string }): Authorizer;
  webhook(name: string, log: Log): WebhookObserver & ConditionObserver;
  /** A change of the configuration file: whether it is in force. */
  reloaded(result: Reload): void;
  /** Of decisions of both that gateways share. */
  readonly sharedCache: SharedCacheObserver;
}

type Reload = "success" | "failure";

const webhookSeconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const tokenSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createAuthenticationMetrics(metrics: Metrics): AuthenticationMetrics {
  const attempts = metrics.counter({
    name: "authentication_attempts",
    help: "Requests whose credentials were looked at, by what came of it.",
    stability: "ALPHA",
    labels: ["result"],
  });
  const jwtLatency = metrics.histogram({
    name: "apiserver_authentication_jwt_authenticator_latency_seconds",
    help: "Time that it took to look at a token of a configured issuer for the first time.",
    stability: "ALPHA",
    labels: ["result", "jwt_issuer_hash"],
    buckets: tokenSeconds,
  });
  return {
    counted(authenticator) {
      const series = {
        allow: attempts.with({ result: "success" }),
        deny: attempts.with({ result: "failure" }),
        none: attempts.with({ result: "anonymous" }),
      };
      const count = (verdict: Verdict): Verdict => {
        series[verdict.outcome].inc();
        return verdict;
      };
      return { authenticate: (credentials) => andThen(authenticator.authenticate(credentials), count) };
    },
    webhook: webhookObserver(metrics, "authentication"),
    jwt: (log) => ({
      authenticated: (hash, result, seconds) => jwtLatency.with({ result, jwt_issuer_hash: hash }).observe(seconds),
      fetched(issuer, problem) {
        if (problem === undefined) log.debug({ issuer }, "the keys of an issuer of tokens were read");
        else log.warn({ issuer, problem }, "the keys of an issuer of tokens could not be read");
      },
    }),
    reloaded: reloadCounter(metrics, "authentication"),
  };
}

export function createAuthorizationMetrics(metrics: Metrics): AuthorizationMetrics {
  const decisions = metrics.counter({
    name: "apiserver_authorization_decisions_total",
    help: "Requests that an authorizer of the chain allowed or denied.",
    stability: "ALPHA",
    labels: ["type", "name", "decision"],
  });
  const failedOpen = metrics.counter({
    name: "apiserver_authorization_webhook_evaluations_fail_open_total",
    help: "Requests that went on to the next in the chain because a webhook gave no answer.",
    stability: "ALPHA",
    labels: ["name", "result"],
  });
  const matched = conditionMetrics(metrics);
  const looks = metrics.counter({
    name: "orch_shared_decisions_lookups_total",
    help: "Looks for decisions that gateways share, by where they were found.",
    stability: "ALPHA",
    labels: ["decisions", "found"],
  });
  const failures = metrics.counter({
    name: "orch_shared_decisions_failures_total",
    help: "Commands that Redis did not answer, or answered with what nobody of us has sealed.",
    stability: "ALPHA",
    labels: ["operation"],
  });
  const asked = webhookObserver(metrics, "authorization");
  return {
    decided(authorizer, labels) {
      const allowed = decisions.with({ ...labels, decision: "allowed" });
      const denied = decisions.with({ ...labels, decision: "denied" });
      const count = (decision: Decision): Decision => {
        if (decision.outcome === "allow") allowed.inc();
        else if (decision.outcome === "deny") denied.inc();
        return decision;
      };
      return { authorize: (attributes, span) => andThen(authorizer.authorize(attributes, span), count) };
    },
    webhook: (name, log) => ({
      ...asked(name, log),
      failedOpen: (result) => failedOpen.with({ name, result }).inc(),
      matched: (result, seconds) => matched(name, result, seconds),
    }),
    reloaded: reloadCounter(metrics, "authorization"),
    sharedCache: {
      looked: (part, found) => looks.with({ decisions: part.split(":")[0] ?? "", found }).inc(),
      failed: (operation) => failures.with({ operation }).inc(),
    },
  };
}

const conditionSeconds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

/** Webhooks alone have match conditions. */
function conditionMetrics(metrics: Metrics) {
  const labels = ["type", "name"] as const;
  const duration = metrics.histogram({
    name: "apiserver_authorization_match_condition_evaluation_seconds",
    help: "Time that the match conditions of an authorizer took.",
    stability: "ALPHA",
    labels,
    buckets: conditionSeconds,
  });
  const failures = metrics.counter({
    name: "apiserver_authorization_match_condition_evaluation_errors_total",
    help: "Requests of which the match conditions of an authorizer could not say whether it is asked.",
    stability: "ALPHA",
    labels,
  });
  const exclusions = metrics.counter({
    name: "apiserver_authorization_match_condition_exclusions_total",
    help: "Requests about which an authorizer was not asked because a match condition was false.",
    stability: "ALPHA",
    labels,
  });
  return (name: string, result: ConditionMatch["kind"], seconds: number): void => {
    const series = { type: "Webhook", name };
    duration.with(series).observe(seconds);
    if (result === "failed") failures.with(series).inc();
    else if (result === "excluded") exclusions.with(series).inc();
  };
}

function webhookObserver(metrics: Metrics, of: string): AuthenticationMetrics["webhook"] {
  const labels = ["name", "result"] as const;
  const evaluations = metrics.counter({
    name: `apiserver_${of}_webhook_evaluations_total`,
    help: "Round trips to a webhook, by what came of them.",
    stability: "ALPHA",
    labels,
  });
  const duration = metrics.histogram({
    name: `apiserver_${of}_webhook_duration_seconds`,
    help: "Time of round trips to a webhook.",
    stability: "ALPHA",
    labels,
    buckets: webhookSeconds,
  });
  return (name, log) => ({
    asked(result, seconds) {
      evaluations.with({ name, result }).inc();
      duration.with({ name, result }).observe(seconds);
    },
    problem: (problem) => log.warn({ webhook: name, problem }, `trouble with a webhook of ${of}`),
  });
}

function reloadCounter(metrics: Metrics, of: string): (result: Reload) => void {
  const reloads = metrics.counter({
    name: `apiserver_${of}_config_controller_automatic_reloads_total`,
    help: `Changes of the ${of} configuration file, by whether they are in force.`,
    stability: "ALPHA",
    labels: ["status"],
  });
  return (status) => reloads.with({ status }).inc();
}
