import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

const suffix = ".cursor";

/** The number of the next record for a reader; undefined where nothing is known of it. */
export async function readCursor(folder: string, name: string): Promise<number | undefined> {
  try {
    const number = Number((await readFile(join(folder, name + suffix), "utf8")).trim());
    return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
  } catch {
    return undefined;
  }
}

/** Replaced as a whole: half a number would be another one. */
export async function writeCursor(folder: string, name: string, next: number): Promise<void> {
  const path = join(folder, name + suffix);
  await writeFile(`${path}.new`, `${next}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
