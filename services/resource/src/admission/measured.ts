import type { Metrics } from "@orch/runtime/metrics.js";
import type { AdmissionPlugin } from "./admission.js";
import { pluginNames } from "./plugin-names.js";

type Operation = "CREATE" | "UPDATE" | "DELETE";
type Type = "admit" | "validate";

/** Told of each time that a plugin was asked. */
export type Observe = (
  of: { readonly name: string; readonly operation: Operation; readonly type: Type; readonly rejected: boolean },
  seconds: number,
) => void;

/** The reference's name for it. */
export function createPluginMetrics(metrics: Metrics): Observe {
  const duration = metrics.histogram({
    name: "apiserver_admission_controller_admission_duration_seconds",
    help: "Time of admission plugins by name, operation and type, and whether the write was refused.",
    stability: "STABLE",
    labels: ["name", "operation", "type", "rejected"],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5],
  });
  return ({ name, operation, type, rejected }, seconds) =>
    duration.with({ name, operation, type, rejected: String(rejected) }).observe(seconds);
}

/** The same plugin, whose time is told. `now`: milliseconds that only grow. Rules that no flag names are left as they are. */
export function measured(
  plugin: AdmissionPlugin,
  { observe, now }: { readonly observe: Observe; readonly now: () => number },
): AdmissionPlugin {
  const { name, mutateCreate, mutateUpdate, validate, validateCreate, validateDelete } = plugin;
  if (!pluginNames.has(name)) return plugin;
  const tell = (operation: Operation, type: Type, since: number, rejected: boolean): void =>
    observe({ name, operation, type, rejected }, (now() - since) / 1000);
  const timed = <T>(operation: Operation, type: Type, ask: () => T | Promise<T>): T | Promise<T> => {
    const since = now();
    const ended = (answer: T): T => {
      tell(operation, type, since, isRefusal(answer));
      return answer;
    };
    const failed = (error: unknown): never => {
      tell(operation, type, since, true);
      throw error;
    };
    let answer: T | Promise<T>;
    try {
      answer = ask();
    } catch (error) {
      return failed(error);
    }
    return answer instanceof Promise ? answer.then(ended, failed) : ended(answer);
  };
  return {
    ...plugin,
    ...(mutateCreate && {
      mutateCreate: (write, object) => timed("CREATE", "admit", () => mutateCreate(write, object)),
    }),
    ...(mutateUpdate && {
      mutateUpdate: (write, object, old) => timed("UPDATE", "admit", () => mutateUpdate(write, object, old)),
    }),
    ...(validate && {
      validate: (state) => timed(state.old === undefined ? "CREATE" : "UPDATE", "validate", () => validate(state)),
    }),
    ...(validateCreate && { validateCreate: (state) => timed("CREATE", "validate", () => validateCreate(state)) }),
    ...(validateDelete && {
      validateDelete: (write, old) => timed("DELETE", "validate", () => validateDelete(write, old)),
    }),
  };
}

function isRefusal(answer: unknown): boolean {
  return answer instanceof Object && "refusal" in answer && answer.refusal !== undefined;
}
