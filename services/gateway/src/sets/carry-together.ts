import type { StageReply, WriteReply } from "@orch/rpc/messages.js";
import { modified, type ResourceName } from "@orch/status/api-error.js";
import type { Asker } from "./ask.js";
import { type CarryOutDeps, removed, written } from "./carry-out.js";
import { eachOf } from "./each-of.js";
import { rankOf } from "./order.js";
import type { Plan } from "./plan.js";
import { orProblem, type Problem } from "./problems.js";
import { checkReply } from "./record.js";
import { type Member, nameOf } from "./set-object.js";
import type { MemberStaging, Transaction } from "./transaction.js";

export interface TogetherDeps extends Omit<CarryOutDeps, "asker"> {
  readonly begin: () => Promise<Transaction | undefined>;
  readonly askerIn: (staging: MemberStaging) => Asker;
  /** Stages the write of the set itself, with the members that it will have. @throws ApiError */
  readonly stageSet: (transaction: Transaction, at: number, members: readonly Member[]) => Promise<StageReply>;
  readonly set: { readonly resource: ResourceName; readonly name: string };
}

export type Together =
  /** Everything is stored; the answer of the set's own write. */
  | { readonly type: "stored"; readonly reply: WriteReply }
  /** Nothing is. */
  | { readonly type: "refused"; readonly problems: readonly Problem[] };

/** Objects whose status is written all the time by others are tried so often. */
const rounds = 5;

/**
 * Carries a plan out as one transaction, with the write of the set itself; undefined where the store has none. What was changed by
 * somebody else meanwhile keeps all of it from being written: it is judged anew then, and written if its status alone has moved.
 * @throws ApiError what the set itself is refused for, or the store; nothing was written, unless it says otherwise
 */
export async function carryOutTogether(
  plan: Pick<Plan, "writes" | "removals">,
  deps: TogetherDeps,
): Promise<Together | undefined> {
  const tasks = tasksOf(plan);
  for (let left = rounds; ; left--) {
    const transaction = await deps.begin();
    if (transaction === undefined) return undefined;
    const round = await tryOnce(transaction, tasks, deps);
    if (round.type !== "in the way") return round;
    if (left > 1) continue;
    if (round.problems.length > 0) return { type: "refused", problems: round.problems };
    throw modified(deps.set.resource, deps.set.name);
  }
}

interface Task {
  readonly at: number;
  readonly place: Omit<Problem, "error">;
  /** The member that the set has of it then, `uid` where it is new; undefined where it has none. */
  readonly member: (uid: string) => Member | undefined;
  readonly run: (deps: CarryOutDeps, goesOn: () => boolean) => Promise<unknown>;
}

/** In the order in which readers see them: as they are written where each is written alone. */
function tasksOf({ writes, removals }: Pick<Plan, "writes" | "removals">): readonly Task[] {
  const ordered = [...writes].sort((a, b) => rankOf(a.object.kind) - rankOf(b.object.kind));
  const leaving = [...removals].sort((a, b) => rankOfRemoval(b) - rankOfRemoval(a));
  return [
    ...ordered.map((write, at): Task => {
      const { object, action, before } = write;
      return {
        at,
        place: { at: object.at, what: nameOf(object.place) },
        member: (uid) => ({ ...object.place, uid: uid === "" ? (before?.uid ?? "") : uid, state: "Applied", action }),
        run: (deps, goesOn) => written(write, deps, goesOn),
      };
    }),
    ...leaving.map((removal, i): Task => {
      return {
        at: ordered.length + i,
        place: { at: "status.members", what: nameOf(removal.member) },
        member: () => undefined,
        run: (deps, goesOn) => removed(removal, deps, goesOn),
      };
    }),
  ];
}

function rankOfRemoval({ rank }: Plan["removals"][number]): number {
  return rankOf(rank?.kind ?? { plural: "", definition: undefined });
}

type Round = Together | { readonly type: "in the way"; readonly problems: readonly Problem[] };

/** What a request of a member came to, after all. */
type Answered = { readonly value: unknown } | { readonly problem: Problem };

async function tryOnce(transaction: Transaction, tasks: readonly Task[], deps: TogetherDeps): Promise<Round> {
  const answers = new Map<number, Promise<Answered>>();
  let isOpen = true;
  const goesOn = (): boolean => isOpen;
  let refused: readonly number[];
  let stagedSet: StageReply;
  try {
    const stages = await eachOf(tasks, async (task) => {
      const staging = transaction.member(task.at);
      const answered = orProblem(task.place, () => task.run({ ...deps, asker: deps.askerIn(staging) }, goesOn));
      // Of one that fails by no refusal the first to wait hears.
      answered.catch(() => {});
      answers.set(task.at, answered);
      const first = await Promise.race([staging.staged.then((uid) => ({ uid })), answered]);
      return { task, first };
    });
    const problems = stages.flatMap(({ first }) => ("problem" in first ? [first.problem] : []));
    if (problems.length > 0) return { type: "refused", problems };
    const members = stages.flatMap(({ task, first }) => task.member("uid" in first ? first.uid : "") ?? []);
    stagedSet = orRefusal(await deps.stageSet(transaction, tasks.length, members));
    isOpen = false;
    const end = await transaction.commit();
    if (end.done) {
      const reply = stagedSet.staged ? await transaction.outcome(tasks.length) : stagedSet.reply;
      return { type: "stored", reply };
    }
    ({ refused } = end);
  } finally {
    isOpen = false;
    await transaction.giveUp();
    await Promise.allSettled(answers.values());
  }
  const all = await Promise.all(refused.map((at) => answers.get(at)));
  return {
    type: "in the way",
    problems: all.flatMap((answered) => (answered !== undefined && "problem" in answered ? [answered.problem] : [])),
  };
}

/** @throws ApiError */
function orRefusal(answer: StageReply): StageReply {
  if (!answer.staged) checkReply(answer.reply);
  return answer;
}
