import {
  budgetIsBusy,
  decideEviction,
  type EvictionDecision,
  evictionOptions,
  withDisruptionTarget,
} from "@orch/api/eviction.js";
import type { PodDisruptionBudget } from "@orch/api/kinds/policy/types.js";
import type { AnyObject } from "@orch/api/object.js";
import { writeOptions } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { modified, notFound } from "@orch/status/api-error.js";
import { pages } from "@orch/store/pages.js";
import type { Entry } from "@orch/store/store.js";
import { historyNote } from "../history/note.js";
import { readObject } from "./body.js";
import { removeState } from "./deletion/delete.js";
import { checkDeletePreconditions, checkedOptions, type DeleteOptions } from "./deletion/delete-options.js";
import { successReply } from "./reply.js";
import { admitPosted } from "./review/admit-posted.js";
import { type Attempt, untilDone } from "./storing/attempts.js";
import type { StoredState } from "./storing/recent-states.js";
import { encodeStored, storedObject } from "./storing/stored.js";
import { inItsPlace } from "./surface.js";
import { warned } from "./warned.js";
import { builtIn, contextOf, keyOf, keyPrefix, resourceOf, type Write } from "./write.js";

const budgetsPerPage = 500;
/** Others may evict through the same budget: it is read again as often as this. */
const maxTries = 20;

/** Deletes a pod if its disruption budget lets it go: a POST to `pods/<name>/eviction` (rules: Sub-resources). */
export async function evict(write: Write): Promise<WriteReply> {
  const { deps, kind, request } = write;
  const eviction = builtIn(write, "policy/v1", "Eviction");
  const created = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "CreateOptions" });
  const versions = [eviction.apiVersion, "policy/v1beta1"];
  const body = readObject(write, eviction, created.fieldValidation, versions);
  return warned(write, body.warnings, async () => {
    await deps.namespaces.admitCreate(request.namespace, { resource: resourceOf(kind), name: request.name });
    const asked = (object: AnyObject): DeleteOptions =>
      checkedOptions(write, evictionOptions(request.name, object, created.dryRun ? ["All"] : []));
    const posted = { object: inItsPlace(write, body.object), dryRun: created.dryRun };
    const { object, warnings } = await admitPosted(write, posted, asked);
    await evictBy(write, asked(object));
    return successReply(write, 201, warnings);
  });
}

async function evictBy(write: Write, options: DeleteOptions): Promise<void> {
  const { deps, kind, request } = write;
  let busy = "";
  for (let tries = 0; tries < maxTries; tries++) {
    const entry = await deps.store.get(keyOf(write, request.name));
    if (entry === undefined) throw notFound(resourceOf(kind), request.name);
    const pod = storedObject(kind, entry);
    // Before a budget is counted down, and again of the state that is deleted.
    await deps.admission.validateDelete(write, pod);
    checkDeletePreconditions(write, options, pod);
    const judged = await judge(write, pod);
    const outcome = await act(write, { entry, judged, options });
    if (outcome === "done") return;
    busy = outcome.busy;
  }
  if (busy === "") throw modified(resourceOf(kind), request.name);
  throw budgetIsBusy(busy);
}

interface Judged {
  readonly decision: EvictionDecision;
  /** The state of the budget that was judged, where it is counted down. */
  readonly budget: Entry | undefined;
}

async function judge(write: Write, pod: AnyObject): Promise<Judged> {
  const budgets = new Map<PodDisruptionBudget, Entry>();
  const kind = builtIn(write, "policy/v1", "PodDisruptionBudget");
  const prefix = keyPrefix({ ...write, kind });
  for await (const page of pages(write.deps.store, { prefix, limit: budgetsPerPage })) {
    for (const entry of page.entries) budgets.set(storedObject(kind, entry), entry);
  }
  const decision = decideEviction({ pod, budgets: [...budgets.keys()], now: contextOf(write).now });
  const name = decision.do === "countDown" ? decision.budget.metadata.name : undefined;
  const judged = [...budgets].find(([budget]) => budget.metadata.name === name);
  return { decision, budget: judged?.[1] };
}

interface Action {
  readonly entry: Entry;
  readonly judged: Judged;
  readonly options: DeleteOptions;
}

/** Not done where what was judged changed meanwhile; `busy` is the budget that others use, if it was that. */
async function act(write: Write, { entry, judged, options }: Action): Promise<"done" | { readonly busy: string }> {
  const { decision, budget } = judged;
  switch (decision.do) {
    case "refuse":
      throw decision.error;
    case "countDown": {
      if (!options.dryRun && !(await countDown(write, decision.budget, budget))) {
        return { busy: decision.budget.metadata.name ?? "" };
      }
      await removeInAnyState(write, entry, options);
      return "done";
    }
    case "delete": {
      if (!decision.unchanged) {
        await removeInAnyState(write, entry, options);
        return "done";
      }
      const outcome = await removePod(write, entry, options);
      if (outcome.done) return "done";
      if (options.preconditions.resourceVersion !== undefined)
        throw modified(resourceOf(write.kind), write.request.name);
      if (decision.budget !== undefined) throw budgetIsBusy(decision.budget);
      return { busy: "" };
    }
  }
}

async function countDown(write: Write, budget: PodDisruptionBudget, judged: Entry | undefined): Promise<boolean> {
  if (judged === undefined) return false;
  const { bytes: value } = encodeStored(builtIn(write, "policy/v1", "PodDisruptionBudget"), { ...budget });
  const swap = await write.deps.store.swap({ key: judged.key, expected: judged.revision, value, essential: true });
  return swap.done;
}

async function removeInAnyState(write: Write, entry: Entry, options: DeleteOptions): Promise<void> {
  await untilDone(entry, async (state) => {
    if (state === undefined) throw notFound(resourceOf(write.kind), write.request.name);
    return removePod(write, state, options);
  });
}

/** First the pod tells why it ends, for its watchers; then it is deleted. */
async function removePod(write: Write, state: StoredState, options: DeleteOptions): Promise<Attempt<WriteReply>> {
  const { deps, kind } = write;
  const pod = storedObject(kind, state);
  await deps.admission.validateDelete(write, pod);
  checkDeletePreconditions(write, options, pod);
  if (options.dryRun) return removeState(write, state, options);
  const { bytes: value } = encodeStored(kind, withDisruptionTarget(pod, contextOf(write).now));
  const note = historyNote(write, { key: state.key, before: state, after: value });
  const swap = await deps.store.swap({ key: state.key, expected: state.revision, value, essential: true, note });
  if (!swap.done) return { done: false, current: swap.current };
  const { uid } = options.preconditions;
  const preconditions = uid === undefined ? {} : { uid };
  return removeState(write, { key: state.key, value, revision: swap.revision }, { ...options, preconditions });
}
