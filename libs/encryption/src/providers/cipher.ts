/** What stands behind a prefix, opened; or why it cannot be. */
export type Plain = { readonly ok: true; readonly value: Buffer } | Refusal;

export interface Refusal {
  readonly ok: false;
  readonly why: string;
}

/**
 * How bytes are sealed with one key. `around` is free space that the sealed bytes leave before themselves and behind: a
 * value is written once, with what frames it. `bound` is additional data, without which nothing can be opened, of those
 * ciphers that have any: the key of the value in the store.
 */
export interface Cipher {
  seal(plain: Buffer, bound: string, around?: Around): Buffer;
  open(sealed: Buffer, bound: string): Plain;
}

export interface Around {
  readonly before: number;
  readonly after: number;
}

export const nothingAround: Around = { before: 0, after: 0 };

export const opened = (value: Buffer): Plain => ({ ok: true, value });
export const refused = (why: string): Refusal => ({ ok: false, why });

export const tooShort = refused("the stored data was shorter than the required size");

/** Several reasons as one text: each once. */
export function joinReasons(reasons: readonly string[]): string {
  const each = [...new Set(reasons)];
  return each.length === 1 ? each.join() : `[${each.join(", ")}]`;
}
