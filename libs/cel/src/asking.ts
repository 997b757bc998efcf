import type { AuthorizationCheck, AuthorizationDecision, Authorize } from "./libraries/authorizer.js";

/** Who answers later. */
export type Ask = (check: AuthorizationCheck) => Promise<AuthorizationDecision>;

/**
 * Lets expressions ask an authorizer that answers by promise. Closures stay synchronous: a question whose answer is not
 * known ends the run, is asked, and the run begins anew with the answer. What a run cost is what the last one cost, since it
 * is whole. A question costs so much that the third in an expression ends it, so that there are few runs; and one question has
 * one answer for as long as the asker lives, which is a request.
 */
export interface Asker {
  /** For `authorizerOf` and `requestResourceOf`. */
  readonly authorize: Authorize;
  /** What `run` gives: at once where nothing was asked, or only what is known. `run` keeps nothing of a run before. */
  answered<T>(run: () => T): T | Promise<T>;
}

/** Ends a run: the answer to this is not known yet. No error, so that nothing on the way takes it for one. */
class Needs {
  constructor(
    readonly key: string,
    readonly check: AuthorizationCheck,
  ) {}
}

const mostQuestions = 256;
const tooMany: AuthorizationDecision = { allowed: false, reason: "", error: "too many questions to the authorizer" };

export function createAsker(ask: Ask): Asker {
  const known = new Map<string, AuthorizationDecision>();
  const attempt = <T>(run: () => T): { readonly value: T } | Needs => {
    try {
      return { value: run() };
    } catch (thrown) {
      if (thrown instanceof Needs) return thrown;
      throw thrown;
    }
  };
  const later = async <T>(first: Needs, run: () => T): Promise<T> => {
    for (let needs = first; ; ) {
      known.set(needs.key, await ask(needs.check));
      const outcome = attempt(run);
      if (!(outcome instanceof Needs)) return outcome.value;
      needs = outcome;
    }
  };
  return {
    authorize(check) {
      const key = JSON.stringify(check);
      const answer = known.get(key);
      if (answer !== undefined) return answer;
      if (known.size >= mostQuestions) return tooMany;
      throw new Needs(key, check);
    },
    answered(run) {
      const outcome = attempt(run);
      return outcome instanceof Needs ? later(outcome, run) : outcome.value;
    },
  };
}
