import { rename, writeFile } from "node:fs/promises";

/**
 * Replaces a file that a running server looks at now and then: it is never seen empty or half written, which would
 * count as a broken one.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = `${path}.unfinished`;
  await writeFile(unfinished, text);
  await rename(unfinished, path);
}
