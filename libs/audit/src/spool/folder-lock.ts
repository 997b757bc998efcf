import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Takes a folder for this process, and makes it where there is none; gives what gives it back. Two processes that write the
 * same segments would destroy them. @throws Error that names the process that has it
 */
export async function lockFolder(folder: string, pid: number): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "lock");
  const take = (): Promise<void> => writeFile(path, `${pid}\n`, { flag: "wx", mode: 0o600 });
  try {
    await take();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const holder = Number((await readFile(path, "utf8")).trim());
    if (holder !== pid && isAlive(holder)) throw new Error(`${folder} is in use by process ${holder}`);
    await rm(path, { force: true });
    await take();
  }
  return () => rm(path, { force: true });
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
