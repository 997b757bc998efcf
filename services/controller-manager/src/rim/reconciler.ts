import { createWorkQueue, type Outcome, type WorkQueue } from "@orch/client/work-queue.js";
import type { Controller, ControllerName } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import type { Informer, InformerHandlers } from "./informers.js";

/** Keys of owners that are to be looked at. */
export type Owners = Pick<WorkQueue<string>, "add" | "addAfter">;

/** A collection that a reconciler follows, and what it makes of its changes. */
export interface Followed {
  readonly informer: Informer;
  readonly handlers: InformerHandlers;
}

/** A control loop over keys: everything but what is particular to its kind. */
export interface Reconciler {
  readonly name: ControllerName;
  /** The name of its work queue, for metrics. */
  readonly queue: string;
  /** Keys that are worked on at once. */
  readonly workers: number;
  /** Of a key's first retry and of its latest ones; 5 ms and 1,000 s where absent. */
  readonly delays?: { readonly firstDelayMs: number; readonly longestDelayMs: number };
  /** Called once a run; what the handlers add is looked at when every collection was listed. */
  readonly follows: (owners: Owners) => readonly Followed[];
  /** Makes what a key stands for as it should be. What is thrown is told, and tried again later and later. */
  readonly sync: (key: string, signal: AbortSignal) => Promise<Outcome>;
  /** Runs beside it, for as long as it does: what it begins ends with the signal. */
  readonly beside?: (signal: AbortSignal) => void;
}

const usualDelays = { firstDelayMs: 5, longestDelayMs: 1_000_000 };

export function createReconciler(of: Reconciler, tools: ControllerTools): Controller {
  const { clock, telemetry } = tools;
  const onError = failureTeller(tools, of.name);
  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        ...{ workers: of.workers, work: of.sync, clock, ...(of.delays ?? usualDelays) },
        observer: telemetry.queue(of.queue),
        onError: (error, key) => onError(error, { key }),
      });
      of.beside?.(signal);
      const followed = of.follows(queue);
      const following = followed.map(({ informer, handlers }) => informer.follow(handlers, { signal, onError }));
      // What is missing in a collection that was not listed yet would be made a second time.
      await Promise.race([Promise.all(followed.map(({ informer }) => informer.synced)), ...following]);
      await Promise.all([...following, queue.run(signal)]);
    },
  };
}
