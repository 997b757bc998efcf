import { join } from "node:path";
import { inspectDataFile } from "./embedded/data-file.js";
import type { EmbeddedDatabase } from "./embedded/database.js";
import { openDatabase } from "./embedded/database.js";
import { dataFile } from "./embedded/directory.js";
import { readIdentityFile } from "./embedded/identity-file.js";
import { takeLock } from "./embedded/lock.js";
import { type Mended, mend } from "./embedded/mend.js";
import { type FoundDamage, scrubOnce } from "./embedded/scrub.js";
import { parseIdentity, type StoreIdentity } from "./identity.js";

/** What a data directory holds, and how it is. */
export interface StoreReport {
  readonly path: string;
  readonly identity: StoreIdentity | undefined;
  /** Of the data; 1 has no checksums, so that damage in it is not noticed. */
  readonly format: number | undefined;
  readonly revision: number;
  /** History before it is forgotten. */
  readonly compacted: number;
  readonly entries: number;
  readonly changes: number;
  /** Of changes: what is kept beside entries. */
  readonly notes: number;
  readonly damaged: readonly (FoundDamage & { readonly mended?: Mended })[];
}

export interface CheckOptions {
  /** The store's directory. */
  readonly path: string;
  /** What to do about what is damaged; it is only told where absent. */
  readonly mend?: {
    /** The database file of a backup, from which lost states are taken. */
    readonly backup: string | undefined;
    /** Deletes what cannot be restored. */
    readonly remove: boolean;
  };
}

/**
 * Reads all of a data directory that no server uses. @throws StoreLockedError while one does; StoreRefused when there is
 * no whole database
 */
export async function checkStore({ path, mend: mending }: CheckOptions): Promise<StoreReport> {
  const noted = readIdentityFile(path);
  const file = join(path, dataFile);
  const unlock = takeLock(path);
  let database: EmbeddedDatabase | undefined;
  try {
    inspectDataFile(file, true);
    database = openDatabase(file);
    const report = await scrubDatabase(database, path);
    const identity = report.identity ?? noted.identity;
    if (mending === undefined) return { ...report, identity };
    const mended = await mendFrom(mending, report.damaged, database);
    return { ...report, identity, damaged: report.damaged.map((damage, i) => ({ ...damage, ...told(mended[i]) })) };
  } finally {
    await database?.close();
    unlock();
  }
}

async function mendFrom(
  { backup: file, remove }: NonNullable<CheckOptions["mend"]>,
  damaged: readonly FoundDamage[],
  database: EmbeddedDatabase,
): Promise<readonly Mended[]> {
  if (file !== undefined) inspectDataFile(file, true);
  const backup = file === undefined ? undefined : openDatabase(file);
  try {
    return await mend(damaged, { database, backup, remove });
  } finally {
    await backup?.close();
  }
}

const told = (mended: Mended | undefined) => (mended === undefined ? {} : { mended });

/** Reads a whole database that is open. */
export async function scrubDatabase(database: EmbeddedDatabase, path: string): Promise<StoreReport> {
  const damaged: FoundDamage[] = [];
  const counts = { changes: 0, entries: 0, notes: 0 };
  await scrubOnce({
    database,
    signal: new AbortController().signal,
    pause: () => Promise.resolve(),
    checked: (count, what) => {
      counts[what] += count;
    },
    found: (damage) => void damaged.push(damage),
  });
  const snapshot = database.snapshot();
  snapshot.release();
  const { revision, compacted } = snapshot;
  const known = database.identity();
  const identity = known === undefined ? undefined : parseIdentity(known);
  return { path, identity, format: database.format(), revision, compacted, ...counts, damaged };
}
