import { tokenReview } from "@orch/api/kinds/authentication/types.js";
import type { Verdict } from "@orch/auth/authenticator.js";
import { bearerToken, type TokenAuthenticator } from "@orch/auth/token-authenticator.js";
import { type ApiError, badRequest, internalError } from "@orch/status/api-error.js";
import { type AnswerReview, answered, type Question, shownUser, toldError } from "./review.js";

export interface TokenReviewDeps {
  /** The authenticator of the bearer tokens of requests. */
  readonly tokens: TokenAuthenticator;
  /** The server's own. */
  readonly apiAudiences: readonly string[];
}

/**
 * Answers whose token it is, as if a request had carried it (TokenReview). The answer does not say why a token is wrong: the
 * asking user may be any webhook. @throws ApiError BadRequest without a token
 */
export function reviewToken({ tokens, apiAudiences }: TokenReviewDeps): AnswerReview {
  return async (question) => {
    const { object } = question;
    const { token = "", audiences = [] } = tokenReview(object).spec ?? {};
    if (token === "") throw badRequest("token is required for TokenReview in authentication");
    const asked = audiences.length > 0 ? audiences : apiAudiences;
    const verdict = await verdictOn(tokens, { question, token, audiences: asked });
    if (typeof verdict === "string") return answered(object, { error: verdict });
    if (verdict.outcome !== "allow") return answered(object, { error: "invalid bearer token" });
    const { user, audiences: meant = [] } = verdict;
    if (asked.length > 0 && !asked.some((each) => meant.includes(each))) throw noCommonAudience();
    return answered(object, { authenticated: true, user: shownUser(user), audiences: meant });
  };
}

interface Asked {
  readonly question: Question;
  readonly token: string;
  readonly audiences: readonly string[];
}

/** Or why nobody could say. */
async function verdictOn(tokens: TokenAuthenticator, { question, token, audiences }: Asked): Promise<Verdict | string> {
  const sent = bearerToken(`Bearer ${token}`);
  if (sent === undefined) return { outcome: "none" };
  try {
    return await tokens.authenticateToken(sent, audiences);
  } catch (error) {
    return `[invalid bearer token, ${toldError(question, error)}]`;
  }
}

/** An authenticator let a token through that is not meant for those it was asked about. */
function noCommonAudience(): ApiError {
  return internalError("error validating audiences");
}

/** Answers as whom the server has authenticated the asking user (SelfSubjectReview). `now` is in milliseconds since 1970. */
export function reviewSelf(now: () => number): AnswerReview {
  return ({ user }) => ({
    metadata: { creationTimestamp: new Date(now()).toISOString() },
    status: { userInfo: shownUser(user) },
  });
}
