import type { AnyObject } from "@orch/api/object.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { Advice } from "../write/advice.js";
import type { Admission, Changed } from "../write/write.js";

type Type = "admit" | "validate";
type Operation = "CREATE" | "UPDATE" | "DELETE";

const seconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** The same, with the time of each of its steps told: all plugins, policies and webhooks of one kind together. */
export function stepsMeasured(admission: Admission, metrics: Metrics, now: () => number): Admission {
  const duration = metrics.histogram({
    name: "apiserver_admission_step_admission_duration_seconds",
    help: "Time of the steps of admission by operation and type, and whether the write was refused.",
    stability: "STABLE",
    labels: ["operation", "type", "rejected"],
    buckets: seconds,
  });
  const series = (operation: Operation, type: Type) => ({
    accepted: duration.with({ operation, type, rejected: "false" }),
    rejected: duration.with({ operation, type, rejected: "true" }),
  });
  type Series = ReturnType<typeof series>;
  const mutating = { create: series("CREATE", "admit"), update: series("UPDATE", "admit") };
  const validating = {
    ...{ create: series("CREATE", "validate"), update: series("UPDATE", "validate") },
    delete: series("DELETE", "validate"),
  };
  const timed = (of: Series) => {
    const began = now();
    const over = (how: keyof Series): void => of[how].observe((now() - began) / 1000);
    return {
      accepted: () => over("accepted"),
      failed(error: unknown): never {
        over("rejected");
        throw error;
      },
      judged(advice: Advice): Advice {
        over(advice.refusal === undefined ? "accepted" : "rejected");
        return advice;
      },
      changed<T extends object>(made: T): T {
        over("accepted");
        return made;
      },
    };
  };
  /** What a step gives is passed on as it comes: at once, where it does. */
  const mutated = (of: Series, run: () => AnyObject | Promise<Changed>): AnyObject | Promise<Changed> => {
    const { changed, failed } = timed(of);
    try {
      const made = run();
      return made instanceof Promise ? made.then(changed, failed) : changed(made);
    } catch (error) {
      return failed(error);
    }
  };
  const judged = (of: Series, run: () => Promise<Advice> | undefined): Promise<Advice> | undefined => {
    const { accepted, judged: told, failed } = timed(of);
    try {
      const asked = run();
      if (asked !== undefined) return asked.then(told, failed);
      accepted();
      return undefined;
    } catch (error) {
      return failed(error);
    }
  };
  return {
    ...admission,
    mutateCreate: (write, object) => mutated(mutating.create, () => admission.mutateCreate(write, object)),
    mutateUpdate: (write, object, old) => mutated(mutating.update, () => admission.mutateUpdate(write, object, old)),
    validate: (state) =>
      judged(state.old === undefined ? validating.create : validating.update, () => admission.validate(state)),
    validateDelete: (write, old) => judged(validating.delete, () => admission.validateDelete(write, old)),
  };
}
