import { type Clock, sleep } from "@orch/status/clock.js";
import { watchLiveness } from "./liveness.js";
import type { Probe } from "./probe.js";
import { restartDelay } from "./restart-delay.js";
import type { ProcessEnd, Running } from "./start-process.js";
import type { Unit, UnitStatus } from "./unit.js";

export interface KeepTools {
  readonly clock: Clock;
  readonly probe: Probe;
  readonly start: (unit: Unit) => Running;
  /** Called with every change. */
  readonly told: (status: UnitStatus) => void;
}

/**
 * Keeps a process of a unit running until `signal` aborts, then ends it: SIGTERM, after its time SIGKILL to its whole group. Resolves
 * once nothing of it runs. `adopted` is a process that runs already.
 */
export async function keepRunning(
  unit: Unit,
  { clock, probe, start, told }: KeepTools,
  { signal, adopted }: { readonly signal: AbortSignal; readonly adopted?: Running },
): Promise<void> {
  const { name, hash } = unit;
  let restarts = 0;
  let problem: string | undefined;
  const report = (status: Pick<UnitStatus, "state" | "pid" | "ready">): void =>
    told({ name, hash, restarts, ...status, ...(problem === undefined ? {} : { problem }) });

  let delayMs = 0;
  let next = adopted;
  while (!signal.aborted) {
    const running = next ?? start(unit);
    next = undefined;
    const began = clock.monotonic();
    // One that cannot be started has no process.
    const pid = running.pid === 0 ? {} : { pid: running.pid };
    if (running.pid !== 0) report({ state: "running", ...pid });
    const end = await endOf(running, unit, {
      ...{ clock, probe, signal },
      told: (ready) => report({ state: "running", ...pid, ready }),
    });
    // Whatever it has started would hold its ports and files.
    if (running.pid !== 0) running.signal("SIGKILL", "group");
    if (signal.aborted) break;
    problem = end.why;
    if (unit.restart === "Never" || (unit.restart === "OnFailure" && end.isSuccess)) {
      report({ state: "stopped" });
      return;
    }
    delayMs = restartDelay(delayMs, clock.monotonic() - began);
    report({ state: "waiting" });
    await sleep(clock, delayMs, signal);
    restarts += 1;
  }
}

interface EndTools extends Pick<KeepTools, "clock" | "probe"> {
  readonly signal: AbortSignal;
  readonly told: (ready: boolean) => void;
}

/** Waits until a process has ended: by itself, because it was not well, or because it shall. */
async function endOf(running: Running, unit: Unit, { clock, probe, signal, told }: EndTools): Promise<ProcessEnd> {
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, signal]);
  const stopped: ProcessEnd = { why: "stopped", isSuccess: true };
  const reasons: Promise<ProcessEnd>[] = [aborted(either).then(() => stopped)];
  if (unit.readiness !== undefined && running.pid !== 0) {
    const watched = watchLiveness(unit.readiness, { clock, probe, told }, either);
    reasons.push(watched.then((why) => (why === undefined ? stopped : { why, isSuccess: false })));
  }
  try {
    const verdict = await Promise.race([running.ended.then(() => undefined), ...reasons]);
    if (verdict === undefined) return await running.ended;
    await terminate(running, unit.stopWithinMs, clock);
    return verdict;
  } finally {
    over.abort();
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });

/** Has a process end, in order if it does so in time. Resolves once it has; at once where it had. */
export async function terminate(running: Running, withinMs: number, clock: Pick<Clock, "after">): Promise<void> {
  if (running.pid === 0) return;
  const over = new AbortController();
  const ended = running.ended.then(() => over.abort());
  running.signal("SIGTERM", "process");
  await Promise.race([ended, sleep(clock, withinMs, over.signal)]);
  if (!over.signal.aborted) running.signal("SIGKILL", "group");
  await ended;
}
