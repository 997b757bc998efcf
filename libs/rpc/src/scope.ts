import type { Span } from "@orch/status/span.js";
import type { ServerCall } from "./rpc.js";

/** A ServerCall and the function that cancels it. */
export interface Scope {
  readonly call: ServerCall;
  cancel(): void;
}

export function createScope(deadline: number | undefined, span?: Span | undefined): Scope {
  let listeners: Array<() => void> | undefined;
  const call = {
    deadline,
    span,
    cancelled: false,
    onCancel: (run: () => void): void => {
      if (call.cancelled) run();
      else if (listeners === undefined) listeners = [run];
      else listeners.push(run);
    },
  };
  return {
    call,
    cancel: () => {
      if (call.cancelled) return;
      call.cancelled = true;
      const runs = listeners;
      listeners = undefined;
      if (runs !== undefined) for (const run of runs) run();
    },
  };
}
