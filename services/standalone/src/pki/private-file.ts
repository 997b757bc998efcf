import { randomUUID } from "node:crypto";
import { chmod, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

const onlyOwner = 0o600;

/** Writes a file that only its owner reads: whole and durable, or not at all. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  // A start on a medium that is full has nothing new to say, as a rule.
  if ((await readIfThere(path)) === text) {
    await chmod(path, onlyOwner);
    return;
  }
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, "wx", onlyOwner);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The file's text; undefined where there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
