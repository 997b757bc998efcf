import { hash } from "node:crypto";
import type { Naming } from "@orch/naming/naming.js";
import type { Span } from "@orch/status/span.js";
import { andThen } from "../and-then.js";
import { noVerdict, type Verdict } from "../authenticator.js";
import type { ReviewVersion } from "../authorization-config/authorization-config.js";
import { createInFlight } from "../in-flight.js";
import { isJsonObject, type JsonObject } from "../json.js";
import type { TokenAuthenticator } from "../token-authenticator.js";
import { authenticatedUser, type UserInfo } from "../user.js";
import { flagOf, isTexts, shortened, statusOf, textOf, textsOf } from "./answer.js";
import { ask, badAnswer, type Post, type WebhookClock, WebhookError, type WebhookObserver } from "./ask.js";
import { type DecisionCache, localCache } from "./decision-cache.js";

/** Whose a token is, as the webhook said. */
export interface KnownToken {
  readonly user: UserInfo;
  /** Those of the asked ones that it is meant for. */
  readonly audiences: readonly string[];
}

export interface WebhookTokenAuthenticatorDeps {
  readonly version: ReviewVersion;
  /** The server's own: what a webhook that says nothing of audiences speaks for. */
  readonly apiAudiences: readonly string[];
  /** `--authentication-token-webhook-cache-ttl` */
  readonly cacheTtlMs: number;
  /** Of a question with all its retries. */
  readonly timeoutMs: number;
  readonly post: Post;
  /** Of this webhook alone. */
  readonly cache: DecisionCache<KnownToken>;
  readonly clock: WebhookClock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly observer: Pick<WebhookObserver, "asked" | "problem">;
  readonly naming: Naming;
}

/** Wrong tokens are kept for a moment and apart: whoever tries many must not push out those that are right. */
const refusedTtlMs = 10_000;
const refusedMax = 1024;
const maxTokenLength = 64 * 1024;

const unanswered: Verdict = { outcome: "deny", why: "the webhook that knows tokens gave no answer" };

/** Asks a webhook whose a bearer token is (`--authentication-token-webhook-config-file`). Without an answer it is nobody's. */
export function webhookTokenAuthenticator(deps: WebhookTokenAuthenticatorDeps): TokenAuthenticator {
  const { cache, cacheTtlMs, clock } = deps;
  const inFlight = createInFlight<Verdict>();
  const refused = localCache<Verdict>({ max: refusedMax, now: () => clock.monotonic() });

  const asked = async (question: Question, key: string): Promise<Verdict> => {
    const answer = await answerOf(deps, question);
    if (answer === "unanswered") return unanswered;
    if ("outcome" in answer) {
      refused.set(key, answer, Math.min(refusedTtlMs, cacheTtlMs));
      return answer;
    }
    cache.set(key, answer, cacheTtlMs);
    return verdictOf(answer);
  };

  return {
    authenticateToken(token, audiences, span) {
      if (token.length > maxTokenLength) return { outcome: "deny", why: "a token of more than 64 KiB" };
      const key = hash("sha256", JSON.stringify([token, audiences]), "base64url");
      return inFlight(key, () => {
        const wrong = refused.get(key);
        if (wrong !== undefined) return wrong;
        return andThen(cache.get(key), (kept) =>
          kept === undefined ? asked({ token, audiences, span }, key) : verdictOf(kept),
        );
      });
    },
  };
}

const verdictOf = ({ user, audiences }: KnownToken): Verdict => ({ outcome: "allow", user, audiences });

interface Question {
  readonly token: string;
  readonly audiences: readonly string[];
  readonly span: Span | undefined;
}

async function answerOf(
  deps: WebhookTokenAuthenticatorDeps,
  { token, audiences, span }: Question,
): Promise<KnownToken | Verdict | "unanswered"> {
  const { naming, version, post, observer } = deps;
  const review = {
    apiVersion: `${naming.group("authentication")}/${version}`,
    kind: "TokenReview",
    spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
  };
  try {
    const read = (answer: unknown): KnownToken | Verdict => {
      const status = statusOf(answer, review);
      return flagOf(status, "authenticated") ? readKnown(status, audiences, deps) : readRefusal(status, token);
    };
    return await ask({ post, body: review, read }, { ...deps, span });
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    observer.problem(error.message);
    return "unanswered";
  }
}

/** A webhook may say the token in its error: our log must not. */
function readRefusal(status: JsonObject, token: string): Verdict {
  const error = textOf(status, "error");
  return error === "" ? noVerdict : { outcome: "deny", why: shortened(error.replaceAll(token, "<token>")) };
}

function readKnown(
  status: JsonObject,
  asked: readonly string[],
  { apiAudiences, naming }: WebhookTokenAuthenticatorDeps,
): KnownToken | Verdict {
  const told = textsOf(status, "audiences");
  const meant = told.length === 0 ? apiAudiences : told;
  const audiences = asked.filter((each) => meant.includes(each));
  if (asked.length > 0 && audiences.length === 0) return noVerdict;
  const user = status["user"];
  if (!isJsonObject(user)) throw badAnswer("it has no user");
  const name = textOf(user, "username");
  if (name === "") throw badAnswer("the user has no name");
  const extra = user["extra"] ?? {};
  if (!isExtra(extra)) throw badAnswer("extra fields of the user are no lists of texts");
  const groups = textsOf(user, "groups");
  return { user: authenticatedUser(naming, { name, uid: textOf(user, "uid"), groups, extra }), audiences };
}

const isExtra = (value: unknown): value is UserInfo["extra"] =>
  isJsonObject(value) && Object.values(value).every(isTexts);

/** A known token that was kept elsewhere; undefined where it is none. */
export function readKnownToken(value: unknown): KnownToken | undefined {
  if (!isJsonObject(value)) return undefined;
  const { user, audiences } = value;
  if (!isJsonObject(user) || !isTexts(audiences)) return undefined;
  const { name, uid, groups, extra } = user;
  if (typeof name !== "string" || name === "" || typeof uid !== "string") return undefined;
  if (!isTexts(groups) || !isExtra(extra)) return undefined;
  return { user: { name, uid, groups, extra }, audiences };
}
