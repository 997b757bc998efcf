import { open, readFile } from "node:fs/promises";

/** Turns one bit of the file wherever a text stands in it, as a medium does that loses what it was given. How often. */
export async function damageText(file: string, text: string): Promise<number> {
  const bytes = await readFile(file);
  const handle = await open(file, "r+");
  let count = 0;
  try {
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
      await handle.write(Buffer.from([(bytes[at] ?? 0) ^ 1]), 0, 1, at);
      count++;
    }
  } finally {
    await handle.close();
  }
  return count;
}
