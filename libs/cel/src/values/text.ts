/** The text with each half of a pair that stands alone replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString("utf8");
}
