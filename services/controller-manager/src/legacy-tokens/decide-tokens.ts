import type { Seen } from "../rim/objects.js";
import { isGoing, timeOf } from "../rim/objects.js";

/** A Secret with a token of a service account, without its data. */
export interface TokenSecret extends Seen {
  readonly type?: string;
}

export interface TokenWords {
  /** Label: the last day on which the token was used. */
  readonly lastUsed: string;
  /** Label: the day since which it may not be used any more. */
  readonly invalidSince: string;
}

export interface TokenState {
  readonly words: TokenWords;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For how long a token must have been unused to become invalid, and invalid to be deleted. */
  readonly periodMs: number;
  /** The account lists the Secret, as accounts do with those that were made for them. */
  readonly isListed: (secret: TokenSecret) => boolean;
  /** A pod names it. */
  readonly isMounted: (secret: TokenSecret) => boolean;
}

export type TokenDecision = "keep" | "delete" | { readonly invalidSince: string };

const dayMs = 24 * 3_600_000;

/** `2026-01-31`, UTC. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Milliseconds since 1970 of a day; undefined for what is none. */
export function timeOfDay(day: unknown): number | undefined {
  if (typeof day !== "string" || day.length !== 10) return undefined;
  const ms = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(ms) || dayOf(ms) !== day ? undefined : ms;
}

/**
 * Whether uses have been recorded for long enough to tell that there were none. `since`: the day on which that began,
 * somewhere on earth.
 */
export function isTrackedEnough(since: unknown, { now, periodMs }: Pick<TokenState, "now" | "periodMs">): boolean {
  const began = timeOfDay(since);
  return began !== undefined && began + dayMs + periodMs <= now;
}

/** What is to become of a token that was made for an account by itself. */
export function decideToken(secret: TokenSecret, state: TokenState): TokenDecision {
  const { words, now, periodMs } = state;
  const { creationTimestamp, labels = {} } = secret.metadata;
  const oldest = now - periodMs;
  if (isGoing(secret) || timeOf(creationTimestamp) >= oldest) return "keep";
  const lastUsed = labels[words.lastUsed];
  // A label that is no day says nothing: it was used, once.
  if (lastUsed !== undefined && (timeOfDay(lastUsed) === undefined || lastUsed >= dayOf(oldest))) return "keep";
  if (!state.isListed(secret) || state.isMounted(secret)) return "keep";
  const invalidSince = labels[words.invalidSince];
  if (timeOfDay(invalidSince) === undefined) return { invalidSince: dayOf(now) };
  return invalidSince !== undefined && invalidSince < dayOf(oldest) ? "delete" : "keep";
}
