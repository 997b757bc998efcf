import { CelError } from "./value.js";

/** The text with each half of a pair that stands alone replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString("utf8");
}

/** The text that bytes hold. */
export function utf8(value: Uint8Array): string | CelError {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}
