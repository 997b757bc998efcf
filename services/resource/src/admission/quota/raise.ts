import { type Counted, decideQuotas } from "@orch/api/quota/decide.js";
import type { ResourceQuota } from "@orch/api/quota/types.js";
import { internalError } from "@orch/status/api-error.js";
import type { WriteDeps } from "../../write/write.js";
import { readQuotas, type StoredQuota, storeUsed } from "./quota-store.js";

type Deps = Pick<WriteDeps, "store" | "naming" | "catalog">;

/** What came of a question: why it is refused, if it is. */
type Answer = { readonly refusal: string | undefined };

interface Question {
  readonly deps: Deps;
  readonly counted: Counted;
  /** It is judged, and raises nothing. */
  readonly dryRun: boolean;
}

interface Waiting extends Question {
  /** Quotas that were raised for it already, by their uids. */
  readonly raised: Set<string>;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Asks the quotas of a namespace and raises what is used, before the object is written. */
export interface Quotas {
  ask(namespace: string, question: Question): Promise<Answer>;
}

/** Others of a cluster change a quota at the same time now and then, never so often. */
const mostTries = 100;

/**
 * Whoever waits for the quotas of a namespace is answered in turns: those that came meanwhile together, with one look at
 * the quotas and one change of each. Every change names the revision that it saw, so that other processes, and the thread
 * of large writes, never raise a quota past each other.
 */
export function createQuotas(): Quotas {
  const lines = new Map<string, Waiting[]>();
  const work = async (namespace: string, line: Waiting[]): Promise<void> => {
    while (line.length > 0) {
      const batch = line.splice(0);
      await answer(namespace, batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
    lines.delete(namespace);
  };
  return {
    ask: (namespace, question) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = { ...question, raised: new Set(), resolve, reject };
        const line = lines.get(namespace);
        if (line !== undefined) {
          line.push(waiting);
          return;
        }
        const begun = [waiting];
        lines.set(namespace, begun);
        void work(namespace, begun);
      }),
  };
}

async function answer(namespace: string, batch: readonly Waiting[]): Promise<void> {
  let left = batch;
  for (let tries = mostTries; left.length > 0; tries--) {
    if (tries === 0) throw internalError("resource quota evaluation timed out");
    left = await answerOnce(namespace, left);
  }
}

/** A quota with what the batch makes of it. */
interface Running {
  readonly stored: StoredQuota;
  quota: ResourceQuota;
  /** For whom it is raised. */
  readonly raisedFor: Waiting[];
}

/** Those whose quotas others have changed meanwhile: they are asked again. */
async function answerOnce(namespace: string, batch: readonly Waiting[]): Promise<readonly Waiting[]> {
  const [first] = batch;
  if (first === undefined) return [];
  const running = (await readQuotas(first.deps, namespace)).map(
    (stored): Running => ({ stored, quota: stored.quota, raisedFor: [] }),
  );
  for (const waiting of batch) judge(waiting, running);
  const again = new Set<Waiting>();
  for (const { stored, quota, raisedFor } of running) {
    if (raisedFor.length === 0) continue;
    const done = await storeUsed(first.deps, stored, quota.status?.used ?? {});
    for (const waiting of raisedFor) {
      if (done) waiting.raised.add(uidOf(stored.quota));
      else again.add(waiting);
    }
  }
  for (const waiting of batch) if (!again.has(waiting)) waiting.resolve({ refusal: undefined });
  return [...again];
}

/** Answers who is refused; for others the quotas that they raise are noted. */
function judge(waiting: Waiting, running: readonly Running[]): void {
  const asked = running.filter(({ quota }) => !waiting.raised.has(uidOf(quota)));
  const decision = decideQuotas(
    asked.map(({ quota }) => quota),
    waiting.counted,
  );
  if (decision.type === "refused") {
    waiting.resolve({ refusal: decision.why });
    return;
  }
  if (waiting.dryRun) return;
  const byUid = new Map(asked.map((each) => [uidOf(each.quota), each]));
  for (const { quota, used } of decision.raised) {
    const each = byUid.get(uidOf(quota));
    if (each === undefined) continue;
    each.quota = { ...quota, status: { ...quota.status, used } };
    each.raisedFor.push(waiting);
  }
}

function uidOf({ metadata }: ResourceQuota): string {
  return metadata.uid ?? "";
}
