import { printIdentity, type StoreIdentity } from "../identity.js";
import type { EmbeddedDatabase } from "./database.js";
import type { LogRecord } from "./record.js";

const stepLines = 1000;
const stepBytes = 4 << 20;

/** Gives every line of the log a checksum, step by step; a start that was killed meanwhile is gone on with by the next. */
export async function sealLog(database: EmbeddedDatabase): Promise<void> {
  for (let from = database.unsealed(); from > 0; ) {
    const { lines, next } = readLines(database, from);
    await database.commit({ records: lines, unsealed: next });
    from = next;
  }
}

/** Makes format 2 of format 1: whoever reads only that refuses it from here on. */
export async function beginUpgrade(database: EmbeddedDatabase, identity: StoreIdentity): Promise<void> {
  await database.commit({ identity: printIdentity(identity), unsealed: 1 });
}

/** `next` is 0 at the end of the log. */
function readLines(database: EmbeddedDatabase, from: number): { lines: Map<number, LogRecord>; next: number } {
  const lines = new Map<number, LogRecord>();
  const snapshot = database.snapshot();
  let bytes = 0;
  try {
    for (const { revision, record } of snapshot.changes(from)) {
      if (lines.size >= stepLines || bytes > stepBytes) return { lines, next: revision };
      // One that is damaged already stays as it is.
      if (record.type === "damaged") continue;
      lines.set(revision, record);
      bytes += record.value.length;
    }
    return { lines, next: 0 };
  } finally {
    snapshot.release();
  }
}
