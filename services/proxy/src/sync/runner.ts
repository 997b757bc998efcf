import type { Clock } from "@orch/status/clock.js";

/** What came of a sync. */
export interface Outcome {
  readonly ok: boolean;
  /** Milliseconds after which there is more to do although nothing changes. */
  readonly againAfter: number | undefined;
}

export interface RunnerOptions {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Between two syncs; two may follow each other at once. */
  readonly minMs: number;
  /** After which a sync is made although nothing has changed, or after a failure. */
  readonly maxMs: number;
  readonly sync: () => Promise<Outcome>;
  /** Told of what a sync throws: it counts as one that has failed. */
  readonly onError: (error: unknown) => void;
}

export interface Runner {
  /** Something has changed. */
  request(): void;
  start(): void;
  /** Resolves when no sync is under way. */
  stop(): Promise<void>;
}

const burst = 2;

/** Syncs one after the other, as often as it may be. */
export function createRunner({ clock, minMs, maxMs, sync, onError }: RunnerOptions): Runner {
  let isStarted = false;
  let isWanted = false;
  let running: Promise<void> | undefined;
  let cancel = (): void => {};
  /** When the syncs so far would have ended, one in each least period. */
  let paidUntil = clock.monotonic();
  let dueAt = paidUntil;

  const plan = (): void => {
    if (!isStarted || running !== undefined) return;
    cancel();
    const now = clock.monotonic();
    const untilAllowed = paidUntil - (burst - 1) * minMs - now;
    const untilDue = isWanted ? 0 : dueAt - now;
    cancel = clock.after(Math.max(0, untilAllowed, untilDue), () => {
      running = once();
    });
  };
  const once = async (): Promise<void> => {
    isWanted = false;
    paidUntil = Math.max(paidUntil, clock.monotonic()) + minMs;
    const { againAfter } = await sync().catch((error: unknown): Outcome => {
      onError(error);
      return { ok: false, againAfter: undefined };
    });
    dueAt = clock.monotonic() + Math.min(maxMs, againAfter ?? maxMs);
    running = undefined;
    plan();
  };

  return {
    request() {
      isWanted = true;
      plan();
    },
    start() {
      isStarted = true;
      plan();
    },
    async stop() {
      isStarted = false;
      cancel();
      await running;
    },
  };
}
