import type { Clock } from "@orch/status/clock.js";
import type { Times } from "./provider.js";

/** The health of a plugin: one question at a time, whose answer counts for a while. */
export interface Checked {
  /** The last answer while it counts, else a new one. */
  health(): Promise<string | undefined>;
  /** Asks now and then, from now on. */
  start(): Promise<void>;
  stop(): void;
}

/** `ask` gives the reason why the plugin is unwell. */
export function createChecked(
  ask: () => Promise<string | undefined>,
  { clock, times }: { readonly clock: Pick<Clock, "monotonic" | "after">; readonly times: Times },
): Checked {
  let last: { readonly reason: string | undefined; readonly until: number } | undefined;
  let underWay: Promise<string | undefined> | undefined;
  let stopped = false;
  let cancel = (): void => {};

  const askNow = (): Promise<string | undefined> => {
    underWay ??= ask()
      .then((reason) => {
        last = { reason, until: clock.monotonic() + (reason === undefined ? times.wellMs : times.unwellMs) };
        return reason;
      })
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  };
  const poll = async (): Promise<void> => {
    const reason = await askNow();
    if (stopped) return;
    cancel = clock.after(reason === undefined ? times.pollMs : times.pollUnwellMs, () => void poll());
  };
  return {
    health: async () => (last !== undefined && clock.monotonic() < last.until ? last.reason : askNow()),
    start: poll,
    stop() {
      stopped = true;
      cancel();
    },
  };
}
