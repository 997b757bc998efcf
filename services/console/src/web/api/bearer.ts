import { readJson } from "@orch/status/read-json.js";
import { numberAt } from "../json.js";
import type { Credentials } from "./credentials.js";

/** What requests show: the same token all along, or newer ones as the old expire. */
export interface Bearer {
  /** Undefined where the browser itself shows who it is. */
  token(): string | undefined;
  /** Whether there is another than this by now, after having tried to get one. @throws Failure where a try failed */
  isReplaced(token: string): Promise<boolean>;
  /** Gets no further ones. */
  stop(): void;
}

export interface BearerDeps {
  /** Gives a newer token. @throws Failure */
  readonly renew: (() => Promise<Renewed>) | undefined;
  readonly now: () => number;
}

export interface Renewed {
  readonly token: string;
  /** Runs when it has become the session's: not where the session has ended meanwhile. */
  readonly taken?: () => void;
}

/** Time before a token expires in which it is replaced: what cannot ask twice, as a WebSocket, shows one that is taken. */
const earlyMs = 20_000;
const [leastMs, mostMs] = [1000, 86_400_000];

export function createBearer(credentials: Credentials, { renew, now }: BearerDeps): Bearer {
  if (credentials.type === "browser")
    return { token: () => undefined, isReplaced: async () => false, stop: () => undefined };
  let { token } = credentials;
  if (renew === undefined) return { token: () => token, isReplaced: async () => false, stop: () => undefined };
  let renewing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const replace = (): Promise<void> => {
    renewing ??= renew()
      .then((next) => {
        if (isStopped) return;
        token = next.token;
        next.taken?.();
        plan();
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };
  const plan = (): void => {
    clearTimeout(timer);
    const end = expiryOf(token);
    if (isStopped || end === undefined) return;
    const wait = Math.min(Math.max(end - now() - earlyMs, leastMs), mostMs);
    // Whoever fails here is asked again by the first request that is refused.
    timer = setTimeout(() => void replace().catch(() => undefined), wait);
  };
  plan();
  return {
    token: () => token,
    async isReplaced(refused) {
      if (refused === token && !isStopped) await replace();
      return refused !== token;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Milliseconds since 1970 at which a JWT says that it ends; undefined for what says nothing of it. */
export function expiryOf(token: string): number | undefined {
  try {
    const claims = readJson(atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
    const seconds = numberAt(claims, "exp");
    return seconds === undefined ? undefined : seconds * 1000;
  } catch {
    return undefined;
  }
}
