import { ApiError, unavailable } from "@orch/status/api-error.js";
import { type Clock, sleep } from "@orch/status/clock.js";
import { cut } from "@orch/status/cut.js";
import type { Target } from "@orch/status/target.js";
import type { Asker } from "./ask.js";
import { eachOf } from "./each-of.js";
import { fingerprintOf } from "./fingerprint.js";
import { inPhases, rankOf } from "./order.js";
import { isOwn, type Plan, type PlannedRemoval, type PlannedWrite } from "./plan.js";
import { orProblem, type Problem } from "./problems.js";
import { type Mark, type Member, nameOf } from "./set-object.js";

export interface CarryOutDeps {
  readonly asker: Asker;
  readonly mark: Mark;
  readonly force: boolean;
  readonly clock: Clock;
  /** Whether a resource is served, once its definition has been looked for. */
  readonly serves: (target: Pick<Target, "group" | "version" | "resource">) => Promise<boolean>;
}

/** What became of the objects of a set. */
export interface Outcome {
  readonly members: readonly Member[];
  readonly problems: readonly Problem[];
}

/** As the set has its members while a plan is carried out: whatever may come to be is known before it is there. */
export function membersOf({ writes, removals }: Plan): readonly Member[] {
  return [
    ...writes.map(({ object: { place }, action, before }): Member => {
      const known = before === undefined ? {} : { uid: before.uid };
      return { ...place, ...known, state: "Pending", action };
    }),
    ...removals.map(({ member, action, uid }): Member => ({ ...bare(member), uid, state: "Leaving", action })),
  ];
}

/** Writes the objects, phase by phase, then deletes what left; after a phase in which something failed nothing more is done. */
export async function carryOut(plan: Plan, deps: CarryOutDeps): Promise<Outcome> {
  const members = new Map(membersOf(plan).map((member) => [nameOf(member), member]));
  const problems: Problem[] = [];
  for (const phase of inPhases(plan.writes, ({ object }) => rankOf(object.kind))) {
    const outcomes = await eachOf(phase, async (write) => {
      const { at, place } = write.object;
      return { write, outcome: await orProblem({ at, what: nameOf(place) }, () => written(write, deps)) };
    });
    for (const { write, outcome } of outcomes) {
      const { place } = write.object;
      const { action } = write;
      if ("value" in outcome) {
        members.set(nameOf(place), { ...place, uid: outcome.value, state: "Applied", action });
      } else {
        problems.push(outcome.problem);
        const before = write.before === undefined ? {} : { uid: write.before.uid };
        members.set(nameOf(place), {
          ...place,
          ...before,
          state: "Failed",
          action,
          message: told(place, outcome.problem),
        });
      }
    }
    if (problems.length > 0) return { members: [...members.values()], problems };
  }
  const removed = await removeAll(plan.removals, deps);
  for (const member of removed.gone) members.delete(nameOf(member));
  for (const member of removed.failed) members.set(nameOf(member), member);
  return { members: [...members.values()], problems: removed.problems };
}

export interface Removed {
  readonly gone: readonly Member[];
  readonly failed: readonly Member[];
  readonly problems: readonly Problem[];
}

/** Deletes members, or lets go of them, in the order opposite to that of their creation. */
export async function removeAll(
  removals: readonly PlannedRemoval[],
  deps: Pick<CarryOutDeps, "asker" | "mark">,
): Promise<Removed> {
  const gone: Member[] = [];
  const failed: Member[] = [];
  const problems: Problem[] = [];
  const phases = inPhases(removals, ({ rank }) => -rankOf(rank?.kind ?? unknownKind));
  for (const phase of phases) {
    await eachOf(phase, async (removal) => {
      const { member, action } = removal;
      const what = nameOf(member);
      const outcome = await orProblem({ at: "status.members", what }, () => removed(removal, deps));
      if ("value" in outcome) gone.push(member);
      else {
        problems.push(outcome.problem);
        failed.push({ ...bare(member), state: "Failed", action, message: told(member, outcome.problem) });
      }
    });
    if (problems.length > 0) break;
  }
  return { gone, failed, problems };
}

const unknownKind = { plural: "", definition: undefined };

/** An object whose status alone moves is tried so often. */
const tries = 5;

/** The uid of the object that was written. Nothing is tried again once it does not go on. @throws ApiError */
export async function written(
  { object, before }: PlannedWrite,
  deps: CarryOutDeps,
  goesOn: () => boolean = always,
): Promise<string> {
  const { asker, mark, force } = deps;
  const { place } = object;
  if (object.brought) await untilServed(place, deps);
  let resourceVersion = before?.resourceVersion;
  for (let left = tries; ; left--) {
    try {
      const options = { manager: mark.manager, force, dryRun: false, resourceVersion };
      return (await asker.apply(place, object.object, options)).uid;
    } catch (error) {
      const isOver = before === undefined || left === 1 || !goesOn();
      if (!(error instanceof ApiError && error.reason === "Conflict") || isOver) throw error;
      const live = await asker.get(place);
      const isSame = live?.uid === before.uid && fingerprintOf(live.object) === before.fingerprint;
      if (!isSame || live.resourceVersion === resourceVersion) throw error;
      resourceVersion = live.resourceVersion;
    }
  }
}

const always = (): boolean => true;

/** Nothing is tried again once it does not go on. @throws ApiError */
export async function removed(
  { member, action, uid }: PlannedRemoval,
  { asker, mark }: Pick<CarryOutDeps, "asker" | "mark">,
  goesOn: () => boolean = always,
): Promise<void> {
  for (let left = tries; ; left--) {
    const live = await asker.get(member);
    if (live === undefined || live.uid !== uid || !isOwn(member, live, mark)) return;
    const { resourceVersion } = live;
    const options = { dryRun: false, uid, resourceVersion };
    try {
      if (action === "Delete") await asker.remove(member, options);
      else await asker.release(member, { ...options, manager: mark.manager });
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.reason === "NotFound") return;
      if (error.reason !== "Conflict" || left === 1 || !goesOn()) throw error;
    }
  }
}

const lookMs = 20;
const mostLooks = 500;

/** A definition is followed a moment after it is stored. @throws ApiError ServiceUnavailable */
async function untilServed({ group = "", version, resource }: Member, { serves, clock }: CarryOutDeps): Promise<void> {
  for (let left = mostLooks; left > 0; left--) {
    if (await serves({ group, version, resource })) return;
    await sleep(clock, lookMs);
  }
  throw unavailable(`${resource}.${group} is not served yet`);
}

/** Without what was said of it before. */
function bare({ group, version, resource, kind, namespace, name, uid }: Member): Member {
  return {
    ...(group === undefined ? {} : { group }),
    ...{ version, resource, kind },
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
  };
}

const longestMessage = 300;

/** As everybody may read who reads the set: what is refused of a Secret may repeat what is in it. */
function told({ group = "", resource }: Member, { error }: Problem): string {
  const isSecret = group === "" && resource === "secrets";
  return isSecret ? error.reason : `${error.reason}: ${cut(error.message, longestMessage)}`;
}
