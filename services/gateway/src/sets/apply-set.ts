import { dryRunOf } from "@orch/render/write-options.js";
import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { badRequest, modified } from "@orch/status/api-error.js";
import type { Target } from "@orch/status/target.js";
import { warningHeaders } from "../http/warning-headers.js";
import { formOf, plainJson, type Representation } from "../representation.js";
import { warningsOf } from "../stages/recover.js";
import { serviceOfAll } from "./at-once.js";
import { carryOut, membersOf, type Outcome } from "./carry-out.js";
import { carryOutTogether, type Together } from "./carry-together.js";
import { carrying, type SetChange, type SetsDeps } from "./change.js";
import { type Plan, type PlannedRemoval, type PlannedWrite, planSet } from "./plan.js";
import { type Named, refusal } from "./problems.js";
import { type Mark, type Member, markOf, type ObjectSet, type SetStatus } from "./set-object.js";
import { beginTransaction } from "./transaction.js";
import { writeRequest } from "./write-request.js";

/**
 * A create, update, patch or apply of a set: what it would store is asked of its resource service, what its objects come to of
 * everybody, and only if nobody refuses anything is anything written.
 */
export async function serveApply(deps: SetsDeps, change: SetChange): Promise<void> {
  const { call, wanted } = change;
  const request = await writeRequest(change);
  const tried = await deps.record.write({ ...request, options: { ...request.options, dryRun: "All" } });
  const { set } = tried;
  const target = { ...wanted.subject.route.target, name: set.metadata.name ?? "" };
  if (request.verb === "create" && set.metadata.generateName !== undefined)
    throw badRequest("a set needs a name: metadata.generateName is not supported");
  const isDryRun = dryRunOf(request.options).length > 0;
  const given = set.spec?.objects ?? undefined;
  if (given === undefined) {
    const written = isDryRun ? tried : await deps.record.write(request);
    return answer(deps, change, { code: written.reply.code, value: written.set, warnings: written.reply.warnings });
  }
  deps.operations.checkIdle(set, target.name);
  const mark = markOf(target);
  const plan = await planSet(set, given, {
    ...{ asker: change.asker, catalog: deps.catalog.now, builtIn: deps.catalog.builtIn },
    ...{ authorizer: deps.authorizer, user: call.user, mark, namespace: target.namespace, now: deps.clock.now() },
  });
  const named = { kind: wanted.subject.kind.kind, group: target.group, name: target.name };
  if (plan.problems.length > 0) throw refusal(plan.problems, { set: named, outcome: "nothing was written" });
  if (isDryRun) {
    const { reply } = tried;
    return answer(deps, change, { code: reply.code, value: planned(set, plan), warnings: reply.warnings });
  }
  await writePlanned(deps, change, { request, tried: set, plan, target, mark, named });
}

interface Planned {
  readonly request: WriteRequest;
  readonly tried: ObjectSet;
  readonly plan: Plan;
  readonly target: Target;
  readonly mark: Mark;
  readonly named: Named;
}

async function writePlanned(deps: SetsDeps, change: SetChange, of: Planned): Promise<void> {
  const together = await writtenTogether(deps, change, of);
  if (together === undefined) return writeEach(deps, change, of);
  if (together.type === "refused") throw refusal(together.problems, { set: of.named, outcome: "nothing was written" });
  return answerWritten(deps, change, together.reply);
}

/** All of it in one transaction, with the set as it will be; undefined where that cannot be. @throws ApiError */
async function writtenTogether(
  deps: SetsDeps,
  change: SetChange,
  { request, tried, plan, target, mark }: Planned,
): Promise<Together | undefined> {
  const { asker: _asker, ...carried } = carrying(deps, change.asker, { mark, force: tried.spec?.force === true });
  const service = serviceOfAll(plan, target.group, deps);
  if (service === undefined) return undefined;
  const { resourceVersion = "", generation } = tried.metadata;
  const set = { resource: { group: target.group, resource: target.resource }, name: target.name };
  const own = { ...request, form: endForm(change), ...(resourceVersion === "" ? {} : { ifMatch: resourceVersion }) };
  return carryOutTogether(plan, {
    ...carried,
    set,
    askerIn: change.askerIn,
    begin: () => beginTransaction({ service, clock: deps.clock, deadline: change.operation.until }),
    async stageSet(transaction, at, members) {
      const staged = await transaction.stage(
        at,
        own,
        statusOf({ members, problems: [] }, generation, "in one transaction"),
      );
      // Somebody else has made it meanwhile.
      if (resourceVersion === "" && staged.staged && staged.uid === "") throw modified(set.resource, set.name);
      return staged;
    },
  });
}

/** Object by object: what was not reached when something fails is told by the set's status. */
async function writeEach(deps: SetsDeps, change: SetChange, of: Planned): Promise<void> {
  const { request, tried, plan, target, mark, named } = of;
  const { operation, asker } = change;
  // The set that the plan was made for, or none.
  const { resourceVersion = "" } = tried.metadata;
  const { reply, set } = await deps.record.write(
    resourceVersion === "" ? request : { ...request, ifMatch: resourceVersion },
  );
  const { id, deadline } = operation;
  const status: SetStatus = { phase: "Applying", members: membersOf(plan), operation: { id, deadline } };
  await deps.record.begin(target, status, set.metadata.resourceVersion ?? "");
  const outcome = await carryOut(plan, carrying(deps, asker, { mark, force: tried.spec?.force === true }));
  const { generation } = set.metadata;
  const ended = await deps.record.end(target, statusOf(outcome, generation, "one by one"), {
    id,
    form: endForm(change),
  });
  if (outcome.problems.length > 0) {
    const outcomeText = "the set is incomplete: its status says which objects were written; the same request goes on";
    throw refusal(outcome.problems, { set: named, outcome: outcomeText });
  }
  await answerWritten(deps, change, { ...reply, body: ended.body });
}

async function answerWritten(
  { respond }: SetsDeps,
  { call, wanted, warnings }: SetChange,
  reply: Pick<WriteReply, "code" | "body" | "warnings">,
): Promise<void> {
  const headers = warningHeaders([...warningsOf(call), ...reply.warnings, ...warnings.all]);
  await respond.document(call.response, wanted.representation, { code: reply.code, body: reply.body, headers });
}

function statusOf(
  { members, problems }: Outcome,
  generation: number | undefined,
  how: "in one transaction" | "one by one",
): SetStatus {
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  if (problems.length === 0) return { phase: "Applied", message: `written ${how}`, ...observed, members };
  const count = problems.length === 1 ? "an object" : `${problems.length} objects`;
  return { phase: "Incomplete", message: `${count} could not be written`, ...observed, members };
}

/** The set as a dry run answers it: with what would become of each object. */
function planned(set: ObjectSet, { writes, removals }: Plan): ObjectSet {
  const members = [...writes.map(plannedWrite), ...removals.map(plannedRemoval)];
  return { ...set, status: { ...set.status, members } };
}

function plannedWrite({ object, action, changes, before }: PlannedWrite): Member {
  const known = before === undefined ? {} : { uid: before.uid };
  return { ...object.place, ...known, action, ...(changes.length === 0 ? {} : { changes }) };
}

function plannedRemoval({ member, action, uid }: PlannedRemoval): Member {
  const { state: _state, message: _message, ...place } = member;
  return { ...place, uid, action };
}

interface Answered {
  readonly code: number;
  readonly value: ObjectSet;
  readonly warnings: readonly string[];
}

/** What was not stored is JSON or YAML, and has no contents either: the audit log may have it. */
function answer(
  { respond }: SetsDeps,
  { call, wanted, warnings: ofMembers }: SetChange,
  { code, value, warnings }: Answered,
): void {
  const headers = warningHeaders([...warningsOf(call), ...warnings, ...ofMembers.all]);
  const shown = wanted.subject.kind.behavior.kept?.(value) ?? value;
  respond.value(call.response, documentOf(wanted.representation), { code, value: shown, headers });
}

function documentOf(representation: Representation): Representation {
  const { encoding, transform } = representation;
  return transform === undefined && (encoding === "json" || encoding === "yaml") ? representation : plainJson;
}

function endForm({ call, wanted }: SetChange): string {
  return formOf(wanted.representation, call.request, call.verb);
}
