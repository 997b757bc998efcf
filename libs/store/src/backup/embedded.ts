import { chmod, copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type StoreReport, scrubDatabase } from "../check-store.js";
import { inspectDataFile } from "../embedded/data-file.js";
import { type EmbeddedDatabase, openDatabase } from "../embedded/database.js";
import { dataFile } from "../embedded/directory.js";
import { readIdentityFile, writeIdentityFile } from "../embedded/identity-file.js";

/**
 * Copies the newest state of an embedded store and its history into a directory, while its server runs or not: LMDB reads
 * one moment of it and keeps nobody from writing. The copy is read through; what is damaged in it is in the report.
 * @throws StoreRefused when there is no whole database
 */
export async function copyEmbedded(path: string, to: string): Promise<StoreReport> {
  const noted = readIdentityFile(path);
  const file = join(path, dataFile);
  inspectDataFile(file, true);
  await mkdir(to, { recursive: true, mode: 0o700 });
  const database = openDatabase(file, { readOnly: true });
  try {
    await database.copyTo(join(to, dataFile));
    await chmod(join(to, dataFile), 0o600);
  } finally {
    await database.close();
  }
  if (noted.identity !== undefined) writeIdentityFile(to, noted.identity);
  return inspectCopy(to);
}

/**
 * Makes the database of a backup one to go on with: its revision moves on by `bump`, and what was before is compacted. So no
 * revision is given twice, and who watched or paged before the restore is told that its place is gone (410).
 */
export function moveOn(path: string, bump: number): Promise<StoreReport> {
  return using(path, async (database) => {
    const snapshot = database.snapshot();
    snapshot.release();
    const revision = snapshot.revision + bump;
    // Notes of when which revision was the newest are of the time before.
    await database.commit({ revision, compacted: revision, journal: Buffer.from("[]") });
    return scrubDatabase(database, path);
  });
}

const inspectCopy = (path: string): Promise<StoreReport> => using(path, (database) => scrubDatabase(database, path));

/** A database that nobody else has: what LMDB puts beside it for others is taken away again. */
async function using<T>(path: string, use: (database: EmbeddedDatabase) => Promise<T>): Promise<T> {
  const file = join(path, dataFile);
  inspectDataFile(file, true);
  const database = openDatabase(file);
  try {
    return await use(database);
  } finally {
    await database.close();
    await rm(`${file}-lock`, { force: true });
  }
}

/** The copy of an embedded store in a backup, for a new data directory. */
export async function copyBack(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  await copyFile(join(from, dataFile), join(to, dataFile));
  const noted = readIdentityFile(from);
  if (noted.identity !== undefined) writeIdentityFile(to, noted.identity);
}
