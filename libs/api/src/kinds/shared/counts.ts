import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** Numbers of a status by their field's name; absent is 0. */
export type Counts<Name extends string> = { readonly [name in Name]?: number };

const inOrder = "must be greater than or equal to 0";

/** Counts that are not negative. */
export function validateCounts<Name extends string>(
  counts: Counts<Name>,
  names: readonly Name[],
  at: string,
): FieldError[] {
  return names.flatMap((name) => {
    const count: number = counts[name] ?? 0;
    return count < 0 ? [fieldError.invalid(`${at}.${name}`, count, inOrder)] : [];
  });
}

/** Counts that are not above another one: what is ready among what there is. */
export function validateNotAbove<Name extends string>(
  counts: Counts<Name>,
  names: readonly Name[],
  limit: { readonly of: Name; readonly detail: string; readonly at: string },
): FieldError[] {
  const most: number = counts[limit.of] ?? 0;
  return names.flatMap((name) => {
    const count: number = counts[name] ?? 0;
    return count > most ? [fieldError.invalid(`${limit.at}.${name}`, count, limit.detail)] : [];
  });
}

/** A count that only grows: it may neither fall nor go. */
export function validateGrowing<Name extends string>(
  counts: Counts<Name>,
  old: Counts<Name>,
  { name, at }: { readonly name: Name; readonly at: string },
): FieldError[] {
  const count: number = counts[name] ?? 0;
  const before: number | undefined = old[name];
  return before !== undefined && (counts[name] === undefined || count < before)
    ? [fieldError.invalid(`${at}.${name}`, count, "cannot be decremented")]
    : [];
}
