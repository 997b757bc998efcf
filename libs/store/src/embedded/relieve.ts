import type { Clock } from "../clock.js";
import { ageOnce, type Compactor } from "./compactor.js";
import type { EmbeddedDatabase } from "./database.js";
import type { Room } from "./room.js";

export interface RelieveOptions {
  readonly database: EmbeddedDatabase;
  readonly compactor: Compactor;
  readonly room: Pick<Room, "recover" | "full" | "tight">;
  readonly clock: Clock;
  readonly historyMs: number;
  readonly signal: AbortSignal;
}

/** History that is kept while there is no room, at most: what is deleted makes room when nobody can look back at it any more. */
const shortHistoryMs = 10_000;
const roundMs = 1_000;

/** While there is no room: shortens history, and looks whether there is some again. */
export async function relieve(options: RelieveOptions): Promise<void> {
  const { database, compactor, room, clock, signal } = options;
  while (room.full && !signal.aborted) {
    await clock.sleep(roundMs, signal);
    if (signal.aborted) return;
    const historyMs = room.tight ? 0 : Math.min(options.historyMs, shortHistoryMs);
    // What cannot be written now is tried again.
    await ageOnce({ database, compactor, clock, historyMs }).catch(() => undefined);
    await compactor.swept().catch(() => undefined);
    await room.recover().catch(() => false);
  }
}
