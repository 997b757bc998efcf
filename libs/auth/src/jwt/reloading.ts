import { noVerdict } from "../authenticator.js";
import type { TokenAuthenticator } from "../token-authenticator.js";
import type { After } from "../within.js";
import type { JwtAuthenticator } from "./jwt-authenticator.js";

export interface ReloadingDeps {
  readonly after: After;
  /** Told of each replacement once it is decided; with what kept it from serving, where something did. */
  readonly replaced: (problem: string | undefined) => void;
}

/** A JWT authenticator whose configuration changes while requests are served. */
export interface ReloadingJwtAuthenticator extends TokenAuthenticator {
  /** Before the first `replace`: no token is of its sort. */
  health(): string | undefined;
  /**
   * Starts the next one. The first serves at once, others when they have reached all of their issuers: until then the
   * one before serves on, and for good where this takes longer than a minute. A later call takes an earlier one back.
   */
  replace(next: JwtAuthenticator): void;
  stop(): void;
}

const patienceMs = 60_000;
const lookAgainMs = 500;

export function reloadingJwtAuthenticator({ after, replaced }: ReloadingDeps): ReloadingJwtAuthenticator {
  let serving: JwtAuthenticator | undefined;
  let waiting: JwtAuthenticator | undefined;
  let cancelLook = (): void => undefined;

  const serve = (next: JwtAuthenticator): void => {
    const before = serving;
    serving = next;
    waiting = undefined;
    before?.stop();
    replaced(undefined);
  };

  const look = (next: JwtAuthenticator, waitedMs: number): void => {
    const problem = next.health();
    if (problem === undefined) {
      serve(next);
    } else if (waitedMs < patienceMs) {
      cancelLook = after(lookAgainMs, () => look(next, waitedMs + lookAgainMs));
    } else {
      waiting = undefined;
      next.stop();
      replaced(problem);
    }
  };

  const takeBack = (): void => {
    cancelLook();
    waiting?.stop();
    waiting = undefined;
  };

  return {
    authenticateToken: (token, audiences, span) => serving?.authenticateToken(token, audiences, span) ?? noVerdict,
    health: () => serving?.health(),
    replace(next) {
      takeBack();
      next.start();
      if (serving === undefined) {
        serve(next);
      } else {
        waiting = next;
        look(next, 0);
      }
    },
    stop() {
      takeBack();
      serving?.stop();
    },
  };
}
