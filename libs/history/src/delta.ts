/**
 * One text told by another: the parts that both have are copied, the rest is given. Made for states of one object, whose JSON
 * differs in a few places: some hundred bytes for a change of a state of many thousand. Making one takes time linear in both.
 *
 * ```
 * repeated: copied from (varint)  copied bytes (varint)  given bytes (varint)  the given bytes
 * ```
 */

/** A copy below this is given instead: telling where it is would take as much. */
const leastCopy = 16;
/** Places of the source are found by so many bytes at them. */
const blockBytes = 8;
/** After so many places in a row without a match one more is left out at each step. */
const patience = 64;

/** What makes `target` of `source`. */
export function deltaOf(source: Buffer, target: Buffer): Buffer {
  const out = createOutput();
  const shared = Math.min(source.length, target.length);
  const head = sameFrom(source, target, shared);
  const tail = sameTo(source, target, shared - head);
  const sourceEnd = source.length - tail;
  const targetEnd = target.length - tail;
  if (head > 0) out.copy(0, head);
  if (targetEnd - head < leastCopy || sourceEnd - head < leastCopy) out.give(target, head, targetEnd);
  else matchBlocks(out, { source, from: head, to: sourceEnd }, { source: target, from: head, to: targetEnd });
  if (tail > 0) out.copy(sourceEnd, tail);
  return out.done();
}

/** @throws RangeError where it is no delta of this source */
export function applyDelta(source: Buffer, delta: Buffer): Buffer {
  const parts: Buffer[] = [];
  const input = { bytes: delta, at: 0 };
  let size = 0;
  while (input.at < delta.length) {
    const from = readNumber(input);
    const copied = readNumber(input);
    const given = readNumber(input);
    if (from + copied > source.length || input.at + given > delta.length) throw new RangeError("a delta leads outside");
    parts.push(source.subarray(from, from + copied), delta.subarray(input.at, input.at + given));
    input.at += given;
    size += copied + given;
    if (size > largestTarget) throw new RangeError("a delta makes too much");
  }
  return Buffer.concat(parts, size);
}

/** No state is larger, by far. */
const largestTarget = 64 << 20;

interface Part {
  readonly source: Buffer;
  readonly from: number;
  readonly to: number;
}

function matchBlocks(out: Output, source: Part, target: Part): void {
  const places = placesOf(source);
  const bytes = target.source;
  let given = target.from;
  let missed = 0;
  for (let at = target.from; at + blockBytes <= target.to; ) {
    const candidate = places.find(hashAt(bytes, at));
    const match = candidate === undefined ? undefined : matchAt(source, target, { candidate, at, given });
    if (match === undefined) {
      missed++;
      at += 1 + Math.floor(missed / patience);
      continue;
    }
    out.give(bytes, given, match.targetAt);
    out.copy(match.sourceAt, match.length);
    given = match.targetAt + match.length;
    at = given;
    missed = 0;
  }
  out.give(bytes, given, target.to);
}

interface Candidate {
  /** In the source. */
  readonly candidate: number;
  /** In the target. */
  readonly at: number;
  /** From which on the target is still to be told. */
  readonly given: number;
}

interface Match {
  readonly sourceAt: number;
  readonly targetAt: number;
  readonly length: number;
}

function matchAt(source: Part, target: Part, { candidate, at, given }: Candidate): Match | undefined {
  const a = source.source;
  const b = target.source;
  const room = Math.min(source.to - candidate, target.to - at);
  let length = 0;
  while (length < room && a[candidate + length] === b[at + length]) length++;
  if (length < blockBytes) return undefined;
  const back = Math.min(candidate - source.from, at - given);
  let before = 0;
  while (before < back && a[candidate - before - 1] === b[at - before - 1]) before++;
  if (length + before < leastCopy) return undefined;
  return { sourceAt: candidate - before, targetAt: at - before, length: length + before };
}

interface Places {
  find(hash: number): number | undefined;
}

/** Where the blocks of a part begin; of those with the same hash the last. */
function placesOf({ source, from, to }: Part): Places {
  const blocks = Math.max(1, Math.floor((to - from) / blockBytes));
  const bits = Math.min(20, Math.ceil(Math.log2(blocks)) + 1);
  const table = new Int32Array(1 << bits).fill(-1);
  const shift = 32 - bits;
  for (let at = from; at + blockBytes <= to; at += blockBytes) table[hashAt(source, at) >>> shift] = at;
  return {
    find(hash) {
      const at = table[hash >>> shift] ?? -1;
      return at < 0 ? undefined : at;
    },
  };
}

function hashAt(bytes: Buffer, at: number): number {
  return Math.imul(bytes.readUInt32LE(at), 0x9e37_79b1) ^ Math.imul(bytes.readUInt32LE(at + 4), 0x85eb_ca77);
}

/** How many bytes both have in common at their beginning. */
function sameFrom(a: Buffer, b: Buffer, most: number): number {
  let same = 0;
  while (same < most && a[same] === b[same]) same++;
  return same;
}

/** At their end. */
function sameTo(a: Buffer, b: Buffer, most: number): number {
  let same = 0;
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
  return same;
}

interface Output {
  copy(from: number, length: number): void;
  give(bytes: Buffer, from: number, to: number): void;
  done(): Buffer;
}

function createOutput(): Output {
  const parts: Buffer[] = [];
  let copied = { from: 0, length: 0 };
  const flush = (given: Buffer): void => {
    if (copied.length === 0 && given.length === 0) return;
    parts.push(numbers([copied.from, copied.length, given.length]), given);
    copied = { from: 0, length: 0 };
  };
  const none = Buffer.alloc(0);
  return {
    copy(from, length) {
      flush(none);
      copied = { from, length };
    },
    give(bytes, from, to) {
      if (to > from) flush(bytes.subarray(from, to));
    },
    done() {
      flush(none);
      return Buffer.concat(parts);
    },
  };
}

/** Seven bits a byte, the lowest first; each byte but the last has its highest bit set. */
function numbers(values: readonly number[]): Buffer {
  const bytes: number[] = [];
  for (let value of values) {
    for (; value > 0x7f; value = Math.floor(value / 0x80)) bytes.push((value & 0x7f) | 0x80);
    bytes.push(value);
  }
  return Buffer.from(bytes);
}

function readNumber(input: { readonly bytes: Buffer; at: number }): number {
  let value = 0;
  for (let scale = 1; ; scale *= 0x80) {
    const byte = input.bytes[input.at];
    if (byte === undefined || scale > 0x1_0000_0000) throw new RangeError("a delta ends within a number");
    input.at++;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
  }
}
