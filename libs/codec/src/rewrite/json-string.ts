import { backslash, quote } from "./rewriter.js";

/**
 * Gathers one string of a JSON text, which may come in parts, and tells on the way whether it is written in YAML as it
 * stands: most are.
 */
export class JsonString {
  /** Earlier parts of the string, from behind the opening quote. */
  #held: Buffer[] = [];
  #part: Buffer = none;
  #from = 0;
  #to = 0;
  #escaped = false;
  #plain = true;
  #exotic = false;
  #before = 0;

  /** A string that begins behind its opening quote. */
  begin(part: Buffer, at: number): void {
    this.#held = [];
    this.#part = part;
    this.#from = at;
    this.#escaped = false;
    this.#plain = true;
    this.#exotic = false;
    this.#before = 0;
  }

  /** Reads from a position on; the position behind the closing quote, or -1 where the part ends before. */
  read(part: Buffer, at: number): number {
    let escaped = this.#escaped;
    let plain = this.#plain;
    let before = this.#before;
    for (let i = at; i < part.length; i++) {
      const byte = part[i] ?? 0;
      if (escaped) {
        escaped = false;
        if (ordinary[byte] !== 1) this.#exotic = true;
      } else if (byte === quote) {
        this.#to = i;
        this.#plain = plain && before !== space && before !== colon;
        return i + 1;
      } else if (byte === backslash) {
        escaped = true;
        plain = false;
      } else if (byte >= 0x7f || (before === colon && byte === space) || (before === space && byte === hash)) {
        plain = false;
      }
      before = byte;
    }
    this.#escaped = escaped;
    this.#plain = plain;
    this.#before = before;
    return -1;
  }

  /** Keeps the rest of the part, which ends within the string. */
  hold(): void {
    this.#held.push(Buffer.from(this.#part.subarray(this.#from)));
  }

  /** Goes on in the next part. */
  resume(part: Buffer): void {
    this.#part = part;
    this.#from = 0;
  }

  /** Between its quotes, escapes and all. */
  get raw(): Buffer {
    const last = this.#part.subarray(this.#from, this.#to);
    return this.#held.length === 0 ? last : Buffer.concat([...this.#held, last]);
  }

  /** It has other escapes than those of quotes, backslashes, newlines and tabs. */
  get isExotic(): boolean {
    return this.#exotic;
  }

  /** It has nothing that YAML could take for something else, and no escapes: its bytes are its text. */
  isPlain(raw: Buffer): boolean {
    if (!this.#plain) return false;
    // Words and numbers such as `yes` and `e5` are judged elsewhere.
    const begin = begins[raw[0] ?? 0] ?? 0;
    return raw.length > longestWord ? begin > 0 : begin > 1;
  }
}

const none = Buffer.alloc(0);
const [space, colon, hash] = [0x20, 0x3a, 0x23];
const ordinary = Uint8Array.from({ length: 256 }, (_, byte) => (/["\\nt]/.test(String.fromCharCode(byte)) ? 1 : 0));
/** `false` */
const longestWord = 5;

/** What a text may begin with: 2 where no word of YAML begins so, 1 where a short text could be one. */
const begins = Uint8Array.from({ length: 256 }, (_, byte) => {
  const first = String.fromCharCode(byte);
  if (/[yntfo]/i.test(first)) return 1;
  return /[a-df-z/]/i.test(first) ? 2 : 0;
});
