import type { FieldError } from "./field-error.js";

/**
 * Errors after which nobody looks for more: an answer shows a tenth of them, and a body of a megabyte can have some
 * millions, which would fill the memory.
 */
export const enoughErrors = 10_000;

/** The errors of the items of a list, in their order; of a list with very many only the first. */
export function errorsOfEach<T>(
  list: readonly T[] | undefined,
  check: (item: T, i: number) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (list === undefined) return errors;
  for (let i = 0; i < list.length && errors.length < enoughErrors; i++) {
    const item = list[i];
    if (item === undefined) continue;
    for (const error of check(item, i)) errors.push(error);
  }
  return errors;
}
