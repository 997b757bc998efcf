import { dryRunOf } from "@orch/render/write-options.js";
import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { conflict } from "@orch/status/api-error.js";
import { warningHeaders } from "../http/warning-headers.js";
import { formOf } from "../representation.js";
import { warningsOf } from "../stages/recover.js";
import { serviceOfAll } from "./at-once.js";
import { removeAll } from "./carry-out.js";
import { carryOutTogether, type Together } from "./carry-together.js";
import { carrying, type SetChange, type SetsDeps } from "./change.js";
import { type DeletionOptions, readDeletion } from "./deletion-options.js";
import { type PlannedRemoval, planRemovals } from "./plan.js";
import { type Named, refusal } from "./problems.js";
import { checkReply } from "./record.js";
import { type Mark, type Member, markOf, nameOf, type ObjectSet } from "./set-object.js";
import { beginTransaction } from "./transaction.js";
import { writeRequest } from "./write-request.js";

/**
 * Deletes a set: its members first, in the order opposite to that of their creation, or with the policy `Orphan` their marks.
 * All of it is asked for by dry runs before any of it is done.
 */
export async function serveDelete(deps: SetsDeps, change: SetChange): Promise<void> {
  const { call, wanted, asker } = change;
  const request = await writeRequest(change);
  const { target } = wanted.subject.route;
  const deletion = readDeletion(request);
  const set = await deps.record.read(target);
  checkPreconditions(set, deletion, target);
  deps.operations.checkIdle(set, target.name);
  const mark = markOf(target);
  const members = set.status?.members ?? [];
  const policy = deletion.orphan ? "Release" : "Delete";
  const plan = await planRemovals(members, { asker, catalog: deps.catalog.now, mark }, policy);
  const named = { kind: wanted.subject.kind.kind, group: target.group, name: target.name };
  if (plan.problems.length > 0) throw refusal(plan.problems, { set: named, outcome: "nothing was deleted" });
  // That the set itself may go is asked before anything goes.
  const form = formOf(wanted.representation, call.request, "delete");
  const tried = await deps.record.send({ ...deletionOf(request, set, true), form });
  checkReply(tried);
  const isTrial = dryRunOf(request.options).length > 0 || deletion.dryRun;
  const reply = isTrial
    ? tried
    : await deleted(deps, change, { request, form, set, removals: plan.removals, mark, named });
  const headers = warningHeaders([...warningsOf(call), ...reply.warnings, ...change.warnings.all]);
  await deps.respond.document(call.response, wanted.representation, { code: reply.code, body: reply.body, headers });
}

function checkPreconditions(
  { metadata }: ObjectSet,
  { uid, resourceVersion }: DeletionOptions,
  { group, resource, name }: { readonly group: string; readonly resource: string; readonly name: string },
): void {
  const holds = (wanted: string | undefined, is: string | undefined): boolean => wanted === undefined || wanted === is;
  if (holds(uid, metadata.uid) && holds(resourceVersion, metadata.resourceVersion)) return;
  throw conflict({ group, resource }, name, "Precondition failed: the set is another one, or has changed");
}

/** @throws ApiError */
async function deleted(deps: SetsDeps, change: SetChange, of: Deleting): Promise<WriteReply> {
  const { request, form, set, removals, named } = of;
  const together = await deletedTogether(deps, change, of);
  if (together?.type === "refused") throw refusal(together.problems, { set: named, outcome: "nothing was deleted" });
  if (together !== undefined) return together.reply;
  if (removals.length > 0) await removeMembers(deps, change, of);
  return deps.record.send({ ...deletionOf(request, set, false), form });
}

/** Members and set in one transaction; undefined where that cannot be. @throws ApiError */
async function deletedTogether(
  deps: SetsDeps,
  change: SetChange,
  { request, form, set, removals, mark }: Deleting,
): Promise<Together | undefined> {
  const { target } = change.wanted.subject.route;
  const plan = { writes: [], removals };
  const service = removals.length === 0 ? undefined : serviceOfAll(plan, target.group, deps);
  if (service === undefined) return undefined;
  const { asker: _asker, ...carried } = carrying(deps, change.asker, { mark, force: false });
  const deletion = { ...deletionOf(request, set, false), form, ifMatch: set.metadata.resourceVersion ?? "" };
  return carryOutTogether(plan, {
    ...carried,
    set: { resource: { group: target.group, resource: target.resource }, name: target.name },
    askerIn: change.askerIn,
    begin: () => beginTransaction({ service, clock: deps.clock, deadline: change.operation.until }),
    stageSet: (transaction, at) => transaction.stage(at, deletion),
  });
}

/** The deletion of that very set, without a policy: its members were seen to. */
function deletionOf(request: WriteRequest, { metadata: { uid } }: ObjectSet, dryRun: boolean): WriteRequest {
  const body = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid }, propagationPolicy: "Background" };
  const all = dryRun ? { ...body, dryRun: ["All"] } : body;
  return { ...request, options: {}, contentType: "application/json", body: Buffer.from(JSON.stringify(all)) };
}

interface Deleting {
  readonly request: WriteRequest;
  readonly form: string;
  readonly set: ObjectSet;
  readonly removals: readonly PlannedRemoval[];
  readonly mark: Mark;
  readonly named: Named;
}

async function removeMembers(
  deps: SetsDeps,
  change: SetChange,
  { set, removals, mark, named }: Deleting,
): Promise<void> {
  const { operation, asker, wanted } = change;
  const { target } = wanted.subject.route;
  const { id, deadline } = operation;
  const leaving = removals.map(({ member, action, uid }): Member => ({ ...member, uid, state: "Leaving", action }));
  const begun = { phase: "Deleting" as const, members: leaving, operation: { id, deadline } };
  await deps.record.begin(target, begun, set.metadata.resourceVersion ?? "");
  const { gone, failed, problems } = await removeAll(removals, { asker, mark });
  if (problems.length === 0) return;
  const settled = new Map(leaving.map((member) => [nameOf(member), member]));
  for (const member of gone) settled.delete(nameOf(member));
  for (const member of failed) settled.set(nameOf(member), member);
  const members = [...settled.values()];
  const message = "the set could not be deleted: some of its members are still there";
  await deps.record.end(target, { phase: "Incomplete", message, members }, { id, form: "" });
  throw refusal(problems, { set: named, outcome: "the set is still there: its status says which members are" });
}
