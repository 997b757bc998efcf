import { type RequestMetrics, recordRequest } from "../metrics/metrics.js";
import type { Handler, Journey } from "./stages.js";

export interface MeasureDeps {
  readonly metrics: RequestMetrics;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Sees the end of every request: counts it, and gives back what it holds. */
export function measured({ metrics, now }: MeasureDeps, answer: Handler<Journey>): Handler<Journey> {
  return (journey) => {
    const began = now();
    const done = (): void => {
      const { reached } = journey;
      reached.seats?.release();
      recordRequest(metrics, reached, now() - began);
      reached.trace?.end(reached.response);
    };
    const answered = answer(journey);
    return answered instanceof Promise ? answered.then(done) : done();
  };
}
