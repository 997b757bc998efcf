import type { Clock } from "@orch/status/clock.js";

export type After = Clock["after"];

/** The answer, or `late` where it takes longer: for answers that are to keep their time themselves, and may not. */
export function within<T>(
  answer: Promise<T>,
  ms: number,
  { after, late }: { after: After; late: () => Error },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = after(ms, () => reject(late()));
    answer.then(resolve, reject).finally(cancel);
  });
}
