import { dryRunOf } from "@orch/render/write-options.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { conflict } from "@orch/status/api-error.js";
import { warningHeaders } from "../http/warning-headers.js";
import { formOf } from "../representation.js";
import { warningsOf } from "../stages/recover.js";
import { removeAll } from "./carry-out.js";
import type { SetChange, SetsDeps } from "./change.js";
import { type DeletionOptions, readDeletion } from "./deletion-options.js";
import { type PlannedRemoval, planRemovals } from "./plan.js";
import { type Named, refusal } from "./problems.js";
import { type Mark, type Member, markOf, nameOf, type ObjectSet } from "./set-object.js";
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
  const isTrial = dryRunOf(request.options).length > 0 || deletion.dryRun;
  if (!isTrial && plan.removals.length > 0)
    await removeMembers(deps, change, { set, removals: plan.removals, mark, named });
  const reply = isTrial ? tried : await deps.record.send({ ...deletionOf(request, set, false), form });
  const headers = warningHeaders([...warningsOf(call), ...reply.warnings]);
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

/** The deletion of that very set, without a policy: its members were seen to. */
function deletionOf(request: WriteRequest, { metadata: { uid } }: ObjectSet, dryRun: boolean): WriteRequest {
  const body = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid }, propagationPolicy: "Background" };
  const all = dryRun ? { ...body, dryRun: ["All"] } : body;
  return { ...request, options: {}, contentType: "application/json", body: Buffer.from(JSON.stringify(all)) };
}

interface Removing {
  readonly set: ObjectSet;
  readonly removals: readonly PlannedRemoval[];
  readonly mark: Mark;
  readonly named: Named;
}

async function removeMembers(
  deps: SetsDeps,
  change: SetChange,
  { set, removals, mark, named }: Removing,
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
