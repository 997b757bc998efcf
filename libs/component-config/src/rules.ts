import { parseDuration } from "@orch/schema/formats/duration.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** The error, unless the value is right. */
export const unless = (isRight: boolean, error: () => FieldError): readonly FieldError[] => (isRight ? [] : [error()]);

/** `must be at least 0` in whatever words; the words are the reference's, and differ from kind to kind. */
export function within(
  field: string,
  value: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, says }: Bounds,
): readonly FieldError[] {
  return unless(value >= min && value <= max, () => fieldError.invalid(field, value, says));
}

export interface Bounds {
  readonly min?: number;
  readonly max?: number;
  readonly says: string;
}

/** Of a decoded duration, in nanoseconds; negative ones are. */
export const nanoseconds = (duration: string): bigint => parseDuration(duration) ?? 0n;

export function member(field: string, value: string, supported: readonly string[]): readonly FieldError[] {
  return unless(supported.includes(value), () => fieldError.notSupported(field, value, supported));
}

/** What a format says is wrong with a text. */
export const shaped = (field: string, value: string, problems: readonly string[]): readonly FieldError[] =>
  problems.map((problem) => fieldError.invalid(field, value, problem));

/** Which of some keys stood there before: `[a b a]` → `[false false true]`. */
export function repeats(keys: readonly string[]): readonly boolean[] {
  const seen = new Set<string>();
  return keys.map((key) => {
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated;
  });
}
