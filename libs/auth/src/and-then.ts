/**
 * What follows from a value: at once where it is there. A promise on the path of every request costs more than most
 * answers do.
 */
export function andThen<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
