import type { Permission } from "@orch/scheduling/cycle/binding.js";
import { type Rejection, unschedulable } from "@orch/scheduling/framework/status.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import { type Clock, sleep } from "@orch/status/clock.js";

/** A pod that has its node and waits until plugins allow it to be bound. */
export interface WaitingPod {
  readonly pod: PodInfo;
  readonly node: string;
  /** Plugins that have not allowed it yet. */
  readonly waitsFor: ReadonlySet<string>;
  /** It is bound once all that it waits for have said so. */
  allow(plugin: string): void;
  /** It loses its node, and waits in the queue for events of the plugin. */
  reject(plugin: string, message: string): void;
}

/** What plugins see of pods that wait: at permit of one pod a plugin may let others go (gangs do). */
export interface WaitingPods {
  all(): readonly WaitingPod[];
  get(uid: string): WaitingPod | undefined;
}

/** The same, for who makes pods wait. */
export interface PermitBoard extends WaitingPods {
  /** Settles when the pod may go on (undefined), is rejected, or nobody has allowed it in time. */
  wait(pod: PodInfo, node: string, until: WaitUntil): Promise<Rejection | undefined>;
}

export interface WaitUntil extends Permission {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Pods are known by their uid. */
export function createPermitBoard(): PermitBoard {
  const pods = new Map<string, WaitingPod>();
  return {
    all: () => [...pods.values()],
    get: (uid) => pods.get(uid),
    async wait(pod, node, { waitsFor: given, ms, clock, signal }) {
      const waitsFor = new Set(given.keys());
      const [first = ""] = waitsFor;
      const decided = new AbortController();
      let answer: Rejection | undefined = unschedulable(first, "timed out waiting for a permit");
      pods.set(pod.uid, {
        ...{ pod, node, waitsFor },
        allow(plugin) {
          if (decided.signal.aborted || !waitsFor.delete(plugin) || waitsFor.size > 0) return;
          answer = undefined;
          decided.abort();
        },
        reject(plugin, message) {
          if (decided.signal.aborted) return;
          answer = unschedulable(plugin, message);
          decided.abort();
        },
      });
      try {
        await sleep(clock, ms, AbortSignal.any([signal, decided.signal]));
        return answer;
      } finally {
        pods.delete(pod.uid);
      }
    },
  };
}
