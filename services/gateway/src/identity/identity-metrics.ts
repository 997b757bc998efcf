import { andThen } from "@orch/auth/and-then.js";
import type { Authenticator, Credentials, Verdict } from "@orch/auth/authenticator.js";
import type { Authorizer, Decision } from "@orch/auth/authorizer.js";
import type { CounterSeries, Metrics } from "@orch/runtime/metrics.js";

/** What is told of who sends requests and what they may do, by the reference's names. */
export interface IdentityMetrics {
  /** Times how long it takes to know a sender, and counts the senders. */
  timed(authenticator: Authenticator): Authenticator;
  /** Counts and times decisions. */
  decided(authorizer: Authorizer): Authorizer;
  /** Tells how long the certificates of senders will still be good. */
  expiring(authenticator: Authenticator): Authenticator;
}

export interface IdentityClock {
  /** Milliseconds that only grow. */
  monotonic(): number;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Seconds: 1 ms, and twice as much with each further one. */
const doubling = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
const filterSeconds = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];
const [hour, day] = [3600, 86_400];
const expirySeconds = [
  ...[0, hour / 2, hour, 2 * hour, 6 * hour, 12 * hour],
  ...[day, 2 * day, 4 * day, 7 * day, 30 * day, 90 * day, 180 * day, 360 * day],
];

export function createIdentityMetrics(metrics: Metrics, clock: IdentityClock): IdentityMetrics {
  const filters = metrics.histogram({
    name: "apiserver_request_filter_duration_seconds",
    help: "Time of the stages that a request passes before it is answered.",
    stability: "ALPHA",
    labels: ["filter"],
    buckets: filterSeconds,
  });
  const authentication = metrics.histogram({
    name: "authentication_duration_seconds",
    help: "Time until a request's sender was known, by what came of it.",
    stability: "ALPHA",
    labels: ["result"],
    buckets: doubling,
  });
  const users = metrics.counter({
    name: "authenticated_user_requests",
    help: "Requests of senders who are known; all but a few names are counted together.",
    stability: "ALPHA",
    labels: ["username"],
  });
  const attempts = metrics.counter({
    name: "authorization_attempts_total",
    help: "Decisions whether a request may be done, by what came of them.",
    stability: "ALPHA",
    labels: ["result"],
  });
  const authorization = metrics.histogram({
    name: "authorization_duration_seconds",
    help: "Time of decisions whether a request may be done, by what came of them.",
    stability: "ALPHA",
    labels: ["result"],
    buckets: doubling,
  });
  const expiration = metrics
    .histogram({
      name: "apiserver_client_certificate_expiration_seconds",
      help: "How long certificates by which requests are authenticated will still be good.",
      stability: "ALPHA",
      labels: [],
      buckets: expirySeconds,
    })
    .with({});
  const decisions = { allow: "allowed", deny: "denied", noOpinion: "no-opinion" } as const;
  const decisionSeries = (result: string) => ({
    count: attempts.with({ result }),
    seconds: authorization.with({ result }),
  });
  return {
    timed(authenticator) {
      const passed = filters.with({ filter: "authentication" });
      const seconds = {
        allow: authentication.with({ result: "success" }),
        deny: authentication.with({ result: "failure" }),
        none: authentication.with({ result: "anonymous" }),
      };
      const counts = userCounts((username) => users.with({ username }));
      const told = (verdict: Verdict, took: number): Verdict => {
        seconds[verdict.outcome].observe(took);
        passed.observe(took);
        if (verdict.outcome === "allow") counts(verdict.user.name).inc();
        return verdict;
      };
      const time = createTiming(clock, told);
      return { authenticate: (credentials: Credentials) => time(() => authenticator.authenticate(credentials)) };
    },
    decided(authorizer) {
      const passed = filters.with({ filter: "authorization" });
      const series = {
        allow: decisionSeries(decisions.allow),
        deny: decisionSeries(decisions.deny),
        noOpinion: decisionSeries(decisions.noOpinion),
      };
      const told = (decision: Decision, took: number): Decision => {
        const { count, seconds } = series[decision.outcome];
        count.inc();
        seconds.observe(took);
        passed.observe(took);
        return decision;
      };
      const time = createTiming(clock, told);
      return { authorize: (attributes, span) => time(() => authorizer.authorize(attributes, span)) };
    },
    expiring: (authenticator) => ({
      authenticate: (credentials) =>
        andThen(authenticator.authenticate(credentials), (verdict) => {
          const { certificate } = credentials;
          if (verdict.outcome === "allow" && certificate !== undefined) {
            expiration.observe((certificate.notAfter - clock.now()) / 1000);
          }
          return verdict;
        }),
    }),
  };
}

/** Of answers that come at once, so many in a row are told with the time of the first. */
const timedTogether = 16;

/**
 * Tells how many seconds an answer took. What is waited for is timed each time; what is answered at once takes a µs or two,
 * and reading the clock for each would cost as much as many of the answers.
 */
function createTiming<T>(clock: IdentityClock, told: (answer: T, seconds: number) => T) {
  let turn = 0;
  let last = 0;
  const sinceSeconds = (began: number): number => (clock.monotonic() - began) / 1000;
  return (run: () => T | Promise<T>): T | Promise<T> => {
    const isTimed = turn === 0;
    const began = isTimed ? clock.monotonic() : 0;
    const answer = run();
    if (answer instanceof Promise) {
      const asked = isTimed ? began : clock.monotonic();
      return answer.then((late) => told(late, sinceSeconds(asked)));
    }
    turn = (turn + 1) % timedTogether;
    if (isTimed) last = sinceSeconds(began);
    return told(answer, last);
  };
}

/** As the reference counts users: names are anybody's to choose. */
function userCounts(series: (username: string) => CounterSeries): (name: string) => CounterSeries {
  const alone = new Map(["admin", "client", "kube_proxy"].map((name) => [name, series(name)]));
  const [addresses, others] = [series("email_id"), series("other")];
  return (name) => alone.get(name) ?? (name.includes("@") ? addresses : others);
}
