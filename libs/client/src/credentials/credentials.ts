import { ApiError, unavailable } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";

/** What a client shows of itself. Given as the same object for as long as it has not changed. */
export interface Credentials {
  /** The whole `Authorization` header: `Bearer …`, `Basic …`. */
  readonly authorization?: string;
  /** PEM, both or none: for the handshake of TLS. */
  readonly certificate?: string;
  readonly key?: string;
}

/** Credentials that may change while a client lives. */
export interface CredentialSource {
  /** For the next request. @throws ApiError: Unauthorized where none can be had, ServiceUnavailable where none can for now */
  current(): Credentials | Promise<Credentials>;
  /** The server has answered 401 to these: the next `current` looks for others. */
  refused(credentials: Credentials): void;
}

export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** Credentials that never change. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  return { current: () => credentials, refused: () => {} };
}

export interface Obtained {
  readonly credentials: Credentials;
  /** Milliseconds since 1970 from which others are looked for; never where absent. */
  readonly renewAt?: number;
  /** Milliseconds since 1970 from which they are worth nothing; never where absent. */
  readonly expiresAt?: number;
}

export interface RenewalOptions {
  /** Gets new ones; what it throws is told without the credentials. */
  readonly obtain: () => Promise<Obtained>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What there is before the first are got. */
  readonly initial?: Obtained;
}

/** Between attempts while the ones at hand are still good. */
const retryMs = 10_000;

/**
 * Credentials that are got anew when they are over, refused, or near their end: once for all who wait. Those at hand
 * serve on where no new ones can be had and they have not expired.
 */
export function renewedCredentials({ obtain, now, initial }: RenewalOptions): CredentialSource {
  let held = initial;
  let run: Promise<Credentials> | undefined;

  const renew = async (): Promise<Credentials> => {
    try {
      const next = await obtain();
      const credentials =
        held !== undefined && isSame(held.credentials, next.credentials) ? held.credentials : next.credentials;
      held = { ...next, credentials };
      return credentials;
    } catch (error) {
      if (held === undefined || isPast(held.expiresAt, now())) throw unobtainable(error);
      held = { ...held, renewAt: now() + retryMs };
      return held.credentials;
    }
  };

  return {
    current() {
      if (held !== undefined && !isPast(held.renewAt, now())) return held.credentials;
      run ??= renew().finally(() => {
        run = undefined;
      });
      return run;
    },
    refused(credentials) {
      if (held?.credentials === credentials) held = { credentials, renewAt: 0, expiresAt: 0 };
    },
  };
}

const isPast = (time: number | undefined, now: number): boolean => time !== undefined && now >= time;

const isSame = (a: Credentials, b: Credentials): boolean =>
  a.authorization === b.authorization && a.certificate === b.certificate && a.key === b.key;

/** Whatever kept them away must not look like an answer to the request that they were meant for. */
function unobtainable(cause: unknown): ApiError {
  const text = `no credentials: ${messageOf(cause)}`;
  const passes = cause instanceof ApiError && (cause.reason === "ServiceUnavailable" || cause.reason === "Timeout");
  return passes ? unavailable(text, cause) : new ApiError("Unauthorized", text, { cause });
}
