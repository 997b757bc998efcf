/** Finds which of some names stands in bytes, without making a text of them. */
export interface NameTable {
  /** The index of the name that the bytes from `from` to `to` are; -1 for another. */
  find(bytes: Buffer, from: number, to: number): number;
}

/** Of so many bytes of a name its place in the table is told. */
const hashed = 32;

/**
 * Names are looked up by their bytes in an open table, at most a quarter full. Whoever writes objects writes their names in the
 * same order each time: the one that came behind the last one before is tried first.
 */
export function createNameTable(names: readonly string[]): NameTable {
  let size = 4;
  while (size < 4 * names.length) size *= 2;
  const mask = size - 1;
  const texts = names.map((name) => Buffer.from(name));
  const table = new Int32Array(size).fill(-1);
  // By one more than the index of the name before.
  const follows = new Int32Array(names.length + 1).fill(-1);
  let last = -1;
  const slotOf = (bytes: Buffer, from: number, to: number): number => {
    let hash = to - from;
    const end = Math.min(to, from + hashed);
    for (let i = from; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] ?? 0)) & 0x3fffffff;
    return (hash ^ (hash >>> 7)) & mask;
  };
  for (const [i, text] of texts.entries()) {
    // An inline field has no name.
    if (text.length === 0) continue;
    let slot = slotOf(text, 0, text.length);
    while (table[slot] !== -1) slot = (slot + 1) & mask;
    table[slot] = i;
  }
  const lookUp: NameTable["find"] = (bytes, from, to) => {
    for (let slot = slotOf(bytes, from, to); ; slot = (slot + 1) & mask) {
      const index = table[slot] ?? -1;
      const text = texts[index];
      if (text === undefined) return -1;
      if (text.length === to - from && isAt(bytes, from, text)) return index;
    }
  };
  return {
    find(bytes, from, to) {
      const guess = follows[last + 1] ?? -1;
      const text = guess < 0 ? undefined : texts[guess];
      const isRight = text !== undefined && text.length === to - from && isAt(bytes, from, text);
      const found = isRight ? guess : lookUp(bytes, from, to);
      if (!isRight) follows[last + 1] = found;
      last = found;
      return found;
    },
  };
}

function isAt(bytes: Buffer, from: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text[i]) return false;
  return true;
}
