import { Function as Callee, Line, Location, Mapping, Profile, Sample, StringTable, ValueType } from "pprof-format";

/** A place in code, as V8 names it: numbers of lines begin with 0. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
  readonly scriptId: string;
}

/** What was seen with one stack. */
export interface StackSample {
  /** From the innermost frame on. `line` counts from 1; the function's first one where it is not known. */
  readonly stack: readonly { readonly frame: Frame; readonly line?: number | undefined }[];
  /** One for each of {@link StackProfile.types}. */
  readonly values: readonly number[];
}

type Unit = "count" | "nanoseconds" | "bytes";

export interface ValueKind {
  readonly type: string;
  readonly unit: Unit;
}

/** A profile before it is written in the format of pprof. */
export interface StackProfile {
  readonly types: readonly ValueKind[];
  readonly samples: readonly StackSample[];
  /** What one sample stands for. */
  readonly period: { readonly of: ValueKind; readonly value: number };
  /** What the reader should know of it. */
  readonly comment: string;
}

export interface ProfileTimes {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

const nanosPerMs = 1_000_000;
const fileScheme = "file://";

/** The bytes of `profile.proto`, each place and text in it once. */
export function encodeProfile(
  { types, samples, period, comment }: StackProfile,
  { startedAt, durationMs }: ProfileTimes,
): Promise<Uint8Array> {
  const strings = new StringTable();
  const text = (value: string): number => strings.dedup(value);
  const kindOf = ({ type, unit }: ValueKind): ValueType => new ValueType({ type: text(type), unit: text(unit) });
  const places = createPlaces(text);
  const written = samples.map(
    ({ stack, values }) =>
      new Sample({ locationId: stack.map(({ frame, line }) => places.idOf(frame, line)), value: [...values] }),
  );
  return new Profile({
    sampleType: types.map(kindOf),
    sample: written,
    // It says that names and lines are there, or the reader would look for them in a binary.
    mapping: [
      new Mapping({
        id: mappingId,
        filename: text("node"),
        hasFunctions: true,
        hasFilenames: true,
        hasLineNumbers: true,
      }),
    ],
    location: [...places.locations],
    function: [...places.functions],
    timeNanos: BigInt(Math.round(startedAt)) * BigInt(nanosPerMs),
    durationNanos: Math.round(durationMs * nanosPerMs),
    periodType: kindOf(period.of),
    period: period.value,
    comment: [text(comment)],
    stringTable: strings,
  }).encodeAsync();
}

const mappingId = 1;

function createPlaces(text: (value: string) => number) {
  const functions = new Map<string, Callee>();
  const locations = new Map<string, Location>();
  const functionOf = (frame: Frame): Callee => {
    const key = `${frame.scriptId}:${frame.lineNumber}:${frame.columnNumber}:${frame.functionName}`;
    const known = functions.get(key);
    if (known !== undefined) return known;
    const name = text(frame.functionName === "" ? "(anonymous)" : frame.functionName);
    const { url } = frame;
    const made = new Callee({
      id: functions.size + 1,
      name,
      systemName: name,
      filename: text(url.startsWith(fileScheme) ? url.slice(fileScheme.length) : url),
      startLine: frame.lineNumber + 1,
    });
    functions.set(key, made);
    return made;
  };
  return {
    functions: { [Symbol.iterator]: () => functions.values() },
    locations: { [Symbol.iterator]: () => locations.values() },
    /** Of the location; it is made where nobody has asked for it. */
    idOf(frame: Frame, line = frame.lineNumber + 1): number {
      const { id: functionId } = functionOf(frame);
      const key = `${functionId}:${line}`;
      const known = locations.get(key);
      if (known !== undefined) return Number(known.id);
      const id = locations.size + 1;
      locations.set(key, new Location({ id, mappingId, line: [new Line({ functionId, line })] }));
      return id;
    },
  };
}
