import type { Opened } from "@orch/store/transformed.js";
import { joinReasons } from "../providers/cipher.js";
import type { RingMetrics } from "./metrics.js";
import { beginsWith, type Step, type StepOpened, type Told } from "./step.js";

/** How the values of a resource are sealed and opened. */
export interface Chain {
  /** By the first step. @throws ApiError where it cannot now */
  seal(plain: Buffer, key: string): Buffer | Promise<Buffer>;
  /** By the first step of which the value has the prefix and that can; stale where that is not the first. */
  open(stored: Buffer, key: string): Opened | Promise<Opened>;
}

/** `none` is the reason why a value is not read that begins with no step's prefix. */
export function createChain(
  steps: readonly Step[],
  { resource, metrics, none }: Told & { readonly metrics: RingMetrics; readonly none: string },
): Chain {
  const [first] = steps;
  if (first === undefined) throw new TypeError(`${resource} has no provider`);
  const told: Told = { resource };
  const labels = steps.map(({ prefix }) => (prefix.length === 0 ? "identity" : prefix.toString()));
  const [firstLabel = ""] = labels;

  const damaged = (reasons: readonly string[], started: number): Opened => {
    if (reasons.length > 0) return { type: "damaged", why: joinReasons(reasons), sealed: true };
    metrics.opened({ prefix: "unknown", resource, started, failed: true });
    return { type: "damaged", why: none, sealed: true };
  };
  const openFrom = (
    stored: Buffer,
    key: string,
    { from, reasons }: { readonly from: number; readonly reasons: readonly string[] },
  ): Opened | Promise<Opened> => {
    const started = metrics.now();
    let failures = reasons;
    for (let i = from; i < steps.length; i++) {
      const step = steps[i];
      if (step === undefined || !beginsWith(stored, step.prefix)) continue;
      const judge = (opened: StepOpened): Opened | undefined => {
        // Sealed values are not for those who take values as they are: the next ones are asked.
        if (!opened.ok && step.prefix.length === 0) return undefined;
        metrics.opened({ prefix: labels[i] ?? "", resource, started, failed: !opened.ok });
        if (opened.ok) return { type: "value", value: opened.value, stale: opened.stale || i > 0 };
        failures = [...failures, opened.why];
        return undefined;
      };
      const opened = step.open(stored, key, told);
      if (opened instanceof Promise) {
        return opened.then((late) => judge(late) ?? openFrom(stored, key, { from: i + 1, reasons: failures }));
      }
      const judged = judge(opened);
      if (judged !== undefined) return judged;
    }
    return damaged(failures, started);
  };

  return {
    seal(plain, key) {
      const started = metrics.now();
      const done = (failed: boolean): void => metrics.sealed({ prefix: firstLabel, resource, started, failed });
      try {
        const sealed = first.seal(plain, key, told);
        if (!(sealed instanceof Promise)) {
          done(false);
          return sealed;
        }
        return sealed.then(
          (late) => {
            done(false);
            return late;
          },
          (error: unknown) => {
            done(true);
            throw error;
          },
        );
      } catch (error) {
        done(true);
        throw error;
      }
    },
    open: (stored, key) => openFrom(stored, key, { from: 0, reasons: [] }),
  };
}
