import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it that are missing, mode 0700; one that is there is left as it is. Step by step,
 * for node's own recursive form never returns where the system refuses with ENOENT (below /proc, for one).
 * @throws the system's error
 */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  let at = path;
  while (!(await isThere(at))) {
    missing.push(at);
    at = dirname(at);
  }
  for (const folder of missing.reverse()) await mkdir(folder, { mode: 0o700 });
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
