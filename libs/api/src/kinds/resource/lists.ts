import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { repeatsIn } from "../shared/repeats.js";

interface ListRule<T> {
  readonly at: string;
  /** No bound where absent. */
  readonly max?: number;
  readonly each: (item: T, at: string) => readonly FieldError[];
  /** What tells items apart, and where that stands in one; repeated ones are not looked for where absent. */
  readonly key?: (item: T) => string;
  readonly keyAt?: string;
}

/** The items of a list, then how many there are, then which stand twice. */
export function validateList<T>(list: readonly T[], rule: ListRule<T>): FieldError[] {
  const { at, max, each, key, keyAt } = rule;
  const keys = key === undefined ? [] : list.map(key);
  const place = (i: number): string => (keyAt === undefined ? `${at}[${i}]` : `${at}[${i}].${keyAt}`);
  return [
    ...list.flatMap((item, i) => each(item, `${at}[${i}]`)),
    ...(max !== undefined && list.length > max ? [fieldError.tooMany(at, list.length, max)] : []),
    ...[...repeatsIn(keys)].map((i) => fieldError.duplicate(place(i), keys[i])),
  ];
}

/** At most this many requests, constraints, configurations, selectors and results. */
export const maxItems = 32;
