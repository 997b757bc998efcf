import { CelError, type Value } from "../values/value.js";

/** One evaluation: its variables, what it cost so far and what it may cost. */
export interface Frame {
  cost: number;
  readonly limit: number;
  /** Variables and accumulators by their slots; undefined: not looked up yet. */
  readonly slots: (Value | undefined)[];
  readonly variables: Variables;
  /** Whether the evaluation is to end now; asked every hundred steps of loops. */
  readonly interrupted: (() => boolean) | undefined;
  ticks: number;
}

/** The values of variables by name; undefined: there is none. Asked once for each variable that is used. */
export type Variables = (name: string) => Value | undefined;

export type Step = (f: Frame) => Value;

/** Ends an evaluation whatever stands above: what it costs passed the limit, or its time is over. */
export class Cancelled {
  constructor(readonly message: string) {}
}

export const costLimitExceeded = "operation cancelled: actual cost limit exceeded";
export const interruptedMessage = "operation interrupted";

/** Steps of loops between two looks at the deadline. */
const interruptEvery = 100;

export function charge(f: Frame, cost: number): void {
  f.cost += cost;
  if (f.cost > f.limit) throw new Cancelled(costLimitExceeded);
}

export function tick(f: Frame): void {
  f.ticks += 1;
  if (f.ticks % interruptEvery === 0 && f.interrupted?.() === true) throw new Cancelled(interruptedMessage);
}

export function isError(value: Value): value is CelError {
  return value instanceof CelError;
}
