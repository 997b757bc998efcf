import type { Authorizer, Decision, ResourceAttributes } from "@orch/auth/authorizer.js";
import { unavailable } from "@orch/status/api-error.js";

/**
 * Of some namespaces those in which a request is allowed, in order. Answers at once where the authorizer does and there are few.
 * @throws ApiError ServiceUnavailable where it cannot be told of one of them, or not in time: what is left out of an answer looks
 * as if it were gone
 */
export type AskEach = (
  attributes: ResourceAttributes,
  names: readonly string[],
) => readonly string[] | Promise<readonly string[]>;

export interface AskEachDeps {
  readonly authorizer: Authorizer;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Asked at the same time, for all requests together, where an answer takes its time: a webhook is asked by many gateways. */
const atOnce = 50;
/** Asked in one turn of the event loop, where answers are there at once. */
const inTurn = 1000;
/** For so long no more is begun for one request, in milliseconds. */
const mostMs = 10_000;

export function createAskEach({ authorizer, now }: AskEachDeps): AskEach {
  const slots = createSlots(atOnce);

  const later = async (attributes: ResourceAttributes, names: readonly string[]): Promise<readonly string[]> => {
    const until = now() + mostMs;
    const allowed: string[] = [];
    for (let at = 0; at < names.length; at += atOnce) {
      if (now() >= until) {
        throw unavailable(
          `what may be seen of ${names.length} namespaces was not worked out in ${mostMs / 1000} seconds`,
        );
      }
      const some = names.slice(at, at + atOnce);
      const ask = (namespace: string) => slots(() => authorizer.authorize({ ...attributes, namespace }));
      const decisions = await Promise.all(some.map(ask));
      allowed.push(...some.filter((_, i) => isAllowed(decisions[i])));
      if (at % inTurn === 0) await new Promise(setImmediate);
    }
    return allowed;
  };

  return (attributes, names) => {
    const allowed: string[] = [];
    for (const [i, namespace] of names.entries()) {
      const decision = i >= inTurn ? undefined : authorizer.authorize({ ...attributes, namespace });
      if (decision !== undefined && !(decision instanceof Promise)) {
        if (isAllowed(decision)) allowed.push(namespace);
        continue;
      }
      const first = decision?.then((d) => (isAllowed(d) ? [namespace] : [])) ?? [];
      const others = later(attributes, names.slice(decision === undefined ? i : i + 1));
      return Promise.all([first, others]).then((found) => [...allowed, ...found.flat()].sort());
    }
    return allowed.sort();
  };
}

function isAllowed(decision: Decision | undefined): boolean {
  if (decision?.outcome === "allow") return true;
  if (decision?.failed === true) throw unavailable(`it cannot be told what may be seen: ${decision.reason}`);
  return false;
}

/** Runs so many at the same time; others in the order in which they came. */
function createSlots(most: number): <T>(run: () => T | Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (run) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await run();
    } finally {
      // Who waits takes it over.
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
