import { createHash } from "node:crypto";

const longest = 256;

/**
 * A text that is the same for the same text, and short: what is long stands by its digest. A pod may have thousands of terms,
 * and each of its questions names all of them.
 */
export const shortText = (text: string): string =>
  text.length <= longest ? text : createHash("sha256").update(text).digest("base64");

const known = new WeakMap<object, string>();

/** {@link shortText} of a list, made once for each. */
export function shortTextOf(list: readonly unknown[]): string {
  let text = known.get(list);
  if (text === undefined) {
    text = shortText(JSON.stringify(list));
    known.set(list, text);
  }
  return text;
}
