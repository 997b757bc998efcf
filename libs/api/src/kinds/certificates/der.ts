/** One value in DER: its tag byte and what it holds. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
}

export const derTag = { integer: 0x02, bits: 0x03, octets: 0x04, oid: 0x06, sequence: 0x30, set: 0x31 } as const;

/** The values that stand one behind another in these bytes; undefined where they are not DER. */
export function derValues(bytes: Buffer): readonly DerValue[] | undefined {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at + 1);
    if (length === undefined) return undefined;
    const end = length.after + length.value;
    if (end > bytes.length) return undefined;
    values.push({ tag: bytes[at] ?? 0, content: bytes.subarray(length.after, end) });
    at = end;
  }
  return values;
}

/** Below 128 one byte; above, a byte that counts the bytes of the number. */
function lengthAt(bytes: Buffer, at: number): { readonly value: number; readonly after: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return { value: first, after: at + 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + 1 + count > bytes.length) return undefined;
  return { value: bytes.readUIntBE(at + 1, count), after: at + 1 + count };
}

/** The values inside one of a certain tag; undefined for another tag and for what is not DER. */
export function derInside(value: DerValue | undefined, tag: number): readonly DerValue[] | undefined {
  return value?.tag === tag ? derValues(value.content) : undefined;
}
