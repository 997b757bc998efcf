import { readJson } from "@orch/status/read-json.js";
import type { Clock } from "../clock.js";
import { compactionTarget, type Moment, trimmed } from "../history.js";
import type { EmbeddedDatabase } from "./database.js";

const sweepStep = 1000;

export interface Compactor {
  /** See Store.compact; resolves when the revision is out of reach, the space is freed in the background. */
  compact(revision: number): Promise<void>;
  /** Waits until all that was forgotten is also gone from the log. */
  swept(): Promise<void>;
}

/**
 * Compaction to C makes everything below C unreadable at once, then frees, chunk by chunk, what no
 * revision from C on can see: for each change up to C the value that it replaced, and the change
 * itself where it was a deletion. How far that came is kept, so that a restart goes on.
 */
export function createCompactor(database: EmbeddedDatabase, signal: AbortSignal): Compactor {
  let sweeping: Promise<void> | undefined;

  async function sweep(): Promise<void> {
    while (!signal.aborted && (await sweepChunk(database)));
  }

  function startSweeping(): Promise<void> {
    // What a sweep could not do for want of room, the next one does.
    sweeping ??= sweep()
      .catch(() => undefined)
      .finally(() => {
        sweeping = undefined;
      });
    return sweeping;
  }

  void startSweeping();
  return {
    async compact(revision) {
      const snapshot = database.snapshot();
      snapshot.release();
      if (revision > snapshot.revision)
        throw new RangeError(`revision ${revision} lies in the future of ${snapshot.revision}`);
      if (revision > snapshot.compacted) await database.commit({ compacted: revision });
      void startSweeping();
    },
    async swept() {
      while (sweeping !== undefined) await sweeping;
      await startSweeping();
    },
  };
}

/** Clears one step of the log; false when there is nothing left to clear. */
async function sweepChunk(database: EmbeddedDatabase): Promise<boolean> {
  const snapshot = database.snapshot();
  const forgotten: number[] = [];
  let swept = snapshot.swept;
  try {
    if (swept >= snapshot.compacted) return false;
    let steps = 0;
    for (const { revision, head } of snapshot.heads(swept + 1)) {
      if (revision > snapshot.compacted || steps === sweepStep) break;
      // What a damaged line says of another one is not to be acted on: that one stays, at the worst for ever.
      if (head.type !== "damaged" && head.previous !== 0) forgotten.push(head.previous);
      if (head.type === "delete") forgotten.push(revision);
      swept = revision;
      steps++;
    }
    if (steps < sweepStep) swept = snapshot.compacted;
  } finally {
    snapshot.release();
  }
  await database.commit({ swept, forgotten });
  return true;
}

export interface Aging {
  readonly database: EmbeddedDatabase;
  readonly compactor: Compactor;
  readonly clock: Clock;
  readonly historyMs: number;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
}

/** Notes the newest revision every `intervalMs` and compacts to the one that stood `historyMs` ago, until the signal. */
export async function ageHistory(aging: Aging): Promise<void> {
  while (!aging.signal.aborted) {
    await ageOnce(aging).catch(() => undefined); // no room, or closing: the next round tries again
    await aging.clock.sleep(aging.intervalMs, aging.signal);
  }
}

/** One round of {@link ageHistory}. */
export async function ageOnce({
  database,
  compactor,
  clock,
  historyMs,
}: Omit<Aging, "intervalMs" | "signal">): Promise<void> {
  const snapshot = database.snapshot();
  snapshot.release();
  const now = clock.now();
  const journal = [...readJournal(database, now), { time: now, revision: snapshot.revision }];
  const target = compactionTarget(journal, now, historyMs);
  await database.commit({ journal: Buffer.from(JSON.stringify(trimmed(journal, now, historyMs))) });
  if (target > 0) await compactor.compact(target);
}

/** Notes from the future are of a clock that was set back since: they count from now on, not only when it comes again. */
function readJournal(database: EmbeddedDatabase, now: number): readonly Moment[] {
  const bytes = database.journal();
  if (bytes === undefined) return [];
  const lines: unknown = readJson(bytes.toString("utf8"));
  return Array.isArray(lines)
    ? lines.filter(isMoment).map(({ time, revision }) => ({ time: Math.min(time, now), revision }))
    : [];
}

function isMoment(value: unknown): value is Moment {
  if (typeof value !== "object" || value === null) return false;
  return "time" in value && typeof value.time === "number" && "revision" in value && typeof value.revision === "number";
}
