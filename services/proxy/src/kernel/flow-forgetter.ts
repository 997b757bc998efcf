import type { Family } from "../model/family.js";
import { deleteFlows, type StaleFlow } from "./conntrack.js";
import type { RunProgram } from "./programs.js";

export interface FlowForgetterOptions {
  readonly family: Family;
  readonly run: RunProgram;
  readonly onError: (error: unknown) => void;
}

/**
 * Deletes stale flows one after the other while rules are written on: each takes a program's run, and a large service that
 * goes leaves tens of thousands.
 */
export interface FlowForgetter {
  forget(flows: readonly StaleFlow[]): void;
  /** Leaves out what is not begun; resolves when none is under way. */
  stop(): Promise<void>;
}

export function createFlowForgetter({ family, run, onError }: FlowForgetterOptions): FlowForgetter {
  /** By what is deleted: one that is asked for twice goes once. */
  const waiting = new Map<string, StaleFlow>();
  let working: Promise<void> | undefined;

  const work = async (): Promise<void> => {
    for (const [key, flow] of waiting) {
      waiting.delete(key);
      await deleteFlows([flow], family, run).catch(onError);
    }
    working = undefined;
  };
  return {
    forget(flows) {
      for (const flow of flows) waiting.set(`${flow.address}|${flow.port}|${flow.endpoint}`, flow);
      if (waiting.size > 0) working ??= work();
    },
    async stop() {
      waiting.clear();
      await working;
    },
  };
}
