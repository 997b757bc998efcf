import { ApiError } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import { wireMicroTime } from "@orch/status/wire-time.js";
import type { Client } from "./client.js";
import { type ApiObject, type Collection, isRecord } from "./objects.js";
import { pause } from "./pause.js";
import { within } from "./within.js";

export interface LeaderElectionOptions {
  readonly client: Pick<Client, "get" | "create" | "update">;
  /** Leases of the namespace that the lock lies in. */
  readonly leases: Collection;
  /** Name of the lease. */
  readonly name: string;
  /** Of this candidate: no other may have the same. */
  readonly identity: string;
  /** How long the others wait after they saw the leader renew. */
  readonly leaseDurationMs: number;
  /** How long a leader tries to renew before it gives up; at most `leaseDurationMs`. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly clock: Clock;
  /** In [0, 1): spreads the candidates' attempts. */
  readonly random: () => number;
  /** Told of every attempt that failed for another reason than that somebody leads. */
  readonly onError: (error: unknown) => void;
  /** Told whenever a lease shows another holder; empty where nobody leads. */
  readonly onLeader?: (identity: string) => void;
}

/** How a candidate stands: what is said of it by flags. */
export type Election = Pick<
  LeaderElectionOptions,
  "identity" | "name" | "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs"
> & {
  /** Of the lease. */
  readonly namespace: string;
};

export type TermEnd = "cancelled" | "lost";

/** A lease's spec, whole: what it says of who leads and since when. */
interface LeaderRecord {
  readonly holder: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
}

/**
 * Waits until this candidate holds the lease, leads for as long as it can renew it, and settles when `lead` has ended:
 * its signal aborts when the lease is lost or `signal` aborts. In the latter case the lease is given back, so that
 * the next candidate need not wait.
 *
 * Clocks of candidates are never compared: a lease is over when it has not changed for its duration since this candidate saw
 * it change, by its own clock (rules: Leader election).
 */
export async function leadOnce(
  options: LeaderElectionOptions,
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<TermEnd> {
  const candidate = createCandidate(options);
  const { clock, retryPeriodMs } = options;
  while (!signal.aborted && !(await candidate.attempt(signal))) {
    await pause(retryPeriodMs * (1 + 1.2 * options.random()), { clock, signal });
  }
  if (signal.aborted) {
    // An attempt that was under way may have won all the same.
    await candidate.release();
    return "cancelled";
  }
  const term = new AbortController();
  const whole = AbortSignal.any([signal, term.signal]);
  const leading = lead(whole)
    .catch((error: unknown) => {
      if (!whole.aborted) throw error;
    })
    .finally(() => term.abort(new Error("what was led has ended")));
  const renewing = keepRenewing(candidate, options, whole).then(() => term.abort(new Error("the lease was lost")));
  const [led] = await Promise.allSettled([leading, renewing]);
  // Nobody waits for a lease that its leader does not use any more; one that was lost is not ours to give back.
  await candidate.release();
  if (led.status === "rejected") throw led.reason;
  return signal.aborted ? "cancelled" : "lost";
}

/** Settles when the lease could not be renewed in time, or the signal aborts. */
async function keepRenewing(
  candidate: Candidate,
  { clock, retryPeriodMs, renewDeadlineMs }: LeaderElectionOptions,
  signal: AbortSignal,
): Promise<void> {
  let renewed = clock.monotonic();
  while (!signal.aborted) {
    await pause(retryPeriodMs, { clock, signal });
    const left = renewed + renewDeadlineMs - clock.monotonic();
    if (left <= 0) return;
    if (await candidate.attempt(signal, left)) renewed = clock.monotonic();
  }
}

interface Candidate {
  /** Takes or renews the lease; whether it holds it now. Never rejects. */
  attempt(signal: AbortSignal, withinMs?: number): Promise<boolean>;
  /** Gives the lease back where it has it. Never rejects. */
  release(): Promise<void>;
}

function createCandidate(options: LeaderElectionOptions): Candidate {
  const { client, leases, name, identity, clock } = options;
  let observed: { readonly record: LeaderRecord; readonly lease: ApiObject; readonly at: number } | undefined;
  let attempted = false;

  const observe = (lease: ApiObject): void => {
    const record = recordOf(lease);
    const before = observed?.record;
    const at = observed !== undefined && sameRecord(observed.record, record) ? observed.at : clock.monotonic();
    observed = { record, lease, at };
    if (before?.holder !== record.holder) options.onLeader?.(record.holder);
  };
  const isOver = (): boolean =>
    observed === undefined || observed.at + observed.record.leaseDurationSeconds * 1000 <= clock.monotonic();
  const next = (old: LeaderRecord | undefined): LeaderRecord => {
    const now = wireMicroTime(clock.now());
    const mine = old?.holder === identity;
    return {
      holder: identity,
      leaseDurationSeconds: Math.max(1, Math.round(options.leaseDurationMs / 1000)),
      acquireTime: mine ? old.acquireTime : now,
      renewTime: now,
      transitions: old === undefined ? 0 : mine ? old.transitions : old.transitions + 1,
    };
  };
  const write = async (lease: ApiObject, record: LeaderRecord, signal: AbortSignal): Promise<void> =>
    observe(await client.update(leases, { ...lease, spec: specOf(lease, record) }, { signal }));
  const takeOrRenew = async (signal: AbortSignal): Promise<boolean> => {
    // Who leads knows the lease: one write renews it. Where somebody changed it meanwhile it is read again.
    if (observed?.record.holder === identity && !isOver()) {
      try {
        await write(observed.lease, next(observed.record), signal);
        return true;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
    const lease = await client.get(leases, name, { signal }).catch(undefinedWhereMissing);
    if (lease === undefined) {
      const object = { metadata: { name }, spec: specOf(undefined, next(undefined)) };
      observe(await client.create(leases, object, { signal }));
      return true;
    }
    observe(lease);
    const record = recordOf(lease);
    if (record.holder !== "" && record.holder !== identity && !isOver()) return false;
    await write(lease, next(record), signal);
    return true;
  };

  /** The lease is read first: of a write that was cancelled nobody knows whether it was done. */
  const giveBack = async (signal: AbortSignal): Promise<void> => {
    const lease = await client.get(leases, name, { signal }).catch(undefinedWhereMissing);
    if (lease === undefined) return;
    observe(lease);
    const { holder, transitions } = recordOf(lease);
    if (holder !== identity) return;
    const now = wireMicroTime(clock.now());
    const record = { holder: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now, transitions };
    try {
      await write(lease, record, signal);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await giveBack(signal);
    }
  };

  return {
    async attempt(signal, withinMs = options.renewDeadlineMs) {
      attempted = true;
      try {
        return await within(withinMs, { clock, signal }, takeOrRenew);
      } catch (error) {
        // Another candidate was faster: no failure.
        const beaten = isConflict(error) || (error instanceof ApiError && error.reason === "AlreadyExists");
        if (!beaten && !signal.aborted) options.onError(error);
        return false;
      }
    },
    async release() {
      if (!attempted) return;
      await within(options.renewDeadlineMs, { clock }, giveBack).catch(options.onError);
    },
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "Conflict";
}

function undefinedWhereMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.reason === "NotFound") return undefined;
  throw error;
}

function recordOf(lease: ApiObject): LeaderRecord {
  const spec = isRecord(lease["spec"]) ? lease["spec"] : {};
  const text = (field: string): string => (typeof spec[field] === "string" ? spec[field] : "");
  const number = (field: string): number => (typeof spec[field] === "number" ? spec[field] : 0);
  return {
    holder: text("holderIdentity"),
    leaseDurationSeconds: number("leaseDurationSeconds"),
    acquireTime: text("acquireTime"),
    renewTime: text("renewTime"),
    transitions: number("leaseTransitions"),
  };
}

/** The lease's spec with a record in it; nobody holds it where the holder is empty. */
function specOf(lease: ApiObject | undefined, record: LeaderRecord): object {
  const spec = isRecord(lease?.["spec"]) ? lease["spec"] : {};
  const { holderIdentity: _before, ...rest } = spec;
  const { holder, leaseDurationSeconds, acquireTime, renewTime, transitions } = record;
  return {
    ...rest,
    ...(holder === "" ? {} : { holderIdentity: holder }),
    leaseDurationSeconds,
    acquireTime,
    renewTime,
    leaseTransitions: transitions,
  };
}

function sameRecord(a: LeaderRecord, b: LeaderRecord): boolean {
  return (
    a.holder === b.holder &&
    a.leaseDurationSeconds === b.leaseDurationSeconds &&
    a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime &&
    a.transitions === b.transitions
  );
}
