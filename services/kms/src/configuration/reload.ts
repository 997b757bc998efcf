import type { Clock } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";
import type { KmsMetrics } from "../metrics.js";
import type { Kms } from "../service.js";
import type { ConfigurationFile } from "./file.js";

export interface ReloadDeps {
  readonly kms: Pick<Kms, "replace">;
  readonly read: () => ConfigurationFile;
  /** Of the file with which the process began. */
  readonly hash: string;
  readonly everyMs: number;
  readonly clock: Pick<Clock, "after">;
  readonly metrics: Pick<KmsMetrics, "reloaded" | "inForce">;
  readonly log: (what: string, problem: string) => void;
}

/** Looks at the file now and then. One that is wrong, or whose plugins are unwell, leaves the one before in force. */
export function startReloading({ kms, read, hash, everyMs, clock, metrics, log }: ReloadDeps): { stop(): void } {
  let inForce = hash;
  /** What was said last: the same is not said each time. */
  let complaint = "";
  let stopped = false;
  let cancel = (): void => {};
  metrics.inForce(inForce);

  const fail = (problem: string): void => {
    metrics.reloaded("failure");
    if (problem !== complaint) log("the encryption configuration stays what it was", problem);
    complaint = problem;
  };
  const look = async (): Promise<void> => {
    const file = read();
    if (file.hash === inForce) return;
    if (!file.ok) return fail(file.problem);
    try {
      await kms.replace(file.configuration);
    } catch (error) {
      return fail(messageOf(error));
    }
    complaint = "";
    inForce = file.hash;
    metrics.reloaded("success");
    metrics.inForce(inForce);
  };
  const later = (): void => {
    cancel = clock.after(everyMs, () => void look().finally(() => !stopped && later()));
  };
  later();
  return {
    stop() {
      stopped = true;
      cancel();
    },
  };
}
