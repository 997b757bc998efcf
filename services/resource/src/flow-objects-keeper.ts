import { sleep, systemClock } from "@orch/runtime/clock.js";
import { type Revision, revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { ensureFlowObjects, type FlowKind, flowKinds } from "./flow-objects.js";
import type { WriteDeps } from "./write.js";

export interface KeeperDeps extends WriteDeps {
  readonly log: (what: string, error: unknown) => void;
}

/** However often the objects change, they are looked at no oftener. */
const pauseMs = 1000;
/** As the reference: what a watch missed is found within a minute. */
const roundMs = 60_000;

/** Keeps the objects of flow control that are always there, until the signal: after every change, and now and then. */
export async function keepFlowObjects(deps: KeeperDeps, signal: AbortSignal): Promise<void> {
  const kinds = flowKinds(deps);
  while (!signal.aborted) {
    try {
      const from = revision((await deps.store.revision()) + 1);
      await ensureFlowObjects(deps);
      await nextChange(deps.store, kinds, { from, signal });
    } catch (error) {
      if (!signal.aborted) deps.log("keeping the objects of flow control failed; trying again", error);
    }
    await sleep(systemClock, pauseMs, signal);
  }
}

/** Settles when an object of these kinds has changed since, or the round is over. */
async function nextChange(
  store: Store,
  kinds: readonly FlowKind[],
  { from, signal }: { readonly from: Revision; readonly signal: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const change = async ({ prefix }: FlowKind): Promise<void> => {
    for await (const item of store.watch({ prefix, from, signal: either })) if (item.type === "events") return;
  };
  const ended = kinds.map((kind) => change(kind));
  try {
    await Promise.race([...ended, sleep(systemClock, roundMs, either)]);
  } finally {
    over.abort();
    await Promise.allSettled(ended);
  }
}
