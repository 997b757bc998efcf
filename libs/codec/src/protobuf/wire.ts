/** How a value stands on the wire, the low three bits of a field's tag. */
export const wireType = { varint: 0, fixed64: 1, delimited: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** Seconds of 0001-01-01T00:00:00Z, by which the reference means no time. */
export const noTimeSeconds = -62_135_596_800;

/** Numbers of the fields of the messages that JSON writes as one value (facts of meta/v1). */
export const wellKnown = {
  /** Time, MicroTime. */
  seconds: 1,
  nanos: 2,
  /** Duration, in nanoseconds. */
  duration: 1,
  /** Quantity. */
  text: 1,
  /** IntOrString: `kind` 0 for the number, 1 for the text. */
  kind: 1,
  number: 2,
  string: 3,
  /** RawExtension, FieldsV1 and any value: JSON text. */
  raw: 1,
  /** A list that has a type of its own. */
  items: 1,
  /** An entry of a map. */
  key: 1,
  value: 2,
} as const;
