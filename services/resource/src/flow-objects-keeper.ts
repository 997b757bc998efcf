import { sleep, systemClock } from "@orch/runtime/clock.js";
import { ensureFlowObjects, flowKinds } from "./flow-objects.js";
import { changesToCome, nextChange } from "./next-change.js";
import type { WriteDeps } from "./write/write.js";

export interface KeeperDeps extends WriteDeps {
  readonly log: (what: string, error: unknown) => void;
  /** Called each time that all of them are there. */
  readonly ensured: () => void;
}

/** However often the objects change, they are looked at no oftener. */
const pauseMs = 1000;
/** As the reference: what a watch missed is found within a minute. */
const roundMs = 60_000;

/** Keeps the objects of flow control that are always there, until the signal: after every change, and now and then. */
export async function keepFlowObjects(deps: KeeperDeps, signal: AbortSignal): Promise<void> {
  const prefixes = flowKinds(deps).map(({ prefix }) => prefix);
  while (!signal.aborted) {
    try {
      const changes = await changesToCome(deps.store, prefixes);
      await ensureFlowObjects(deps);
      deps.ensured();
      await nextChange(deps.store, changes, { roundMs, signal });
    } catch (error) {
      if (!signal.aborted) deps.log("keeping the objects of flow control failed; trying again", error);
    }
    await sleep(systemClock, pauseMs, signal);
  }
}
