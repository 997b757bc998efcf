import { type Point, type Stage, selects, type Target } from "../stages/stage.js";
import type { PodView } from "./pod-view.js";

/** Where a pod stands, and since when; times are milliseconds since 1970. */
export interface Life {
  readonly point: Point;
  readonly sinceMs: number;
  readonly restarts: number;
  /** Since when its containers run, or ran last. */
  readonly startedMs: number;
}

/** What comes next for a pod, and when. */
export interface Step {
  readonly dueMs: number;
  readonly to: Target;
  readonly exitCode: number;
}

export interface LifeRules {
  /** The first that fits counts; {@link usualStages} are the last. */
  readonly stages: readonly Stage[];
  /** A pod that is deleted may take as long as it says, and no longer than this. */
  readonly longestGraceMs: number;
}

const firstBackOffMs = 10_000;
const longestBackOffMs = 300_000;

/** Where a pod stands by what its status says: of whatever lived it so far. */
export function lifeOf({ status }: PodView, nowMs: number): Life {
  const { restarts, runningSinceMs, waitingSinceMs, phase } = status;
  const lived = { restarts, startedMs: runningSinceMs ?? nowMs };
  if (phase === "Succeeded" || phase === "Failed") return { ...lived, point: "Ended", sinceMs: nowMs };
  if (waitingSinceMs !== undefined) return { ...lived, point: "BackOff", sinceMs: waitingSinceMs };
  if (runningSinceMs === undefined) return { ...lived, point: "Waiting", sinceMs: nowMs };
  const ready = status.conditions.get("ContainersReady");
  if (ready?.isTrue === true) return { ...lived, point: "Ready", sinceMs: ready.changedMs ?? runningSinceMs };
  return { ...lived, point: "Running", sinceMs: runningSinceMs };
}

/** What a pod does next; undefined where it stays as it is until somebody changes it. */
export function nextStep(pod: PodView, life: Life, { stages, longestGraceMs }: LifeRules): Step | undefined {
  const { deleted } = pod;
  const point: Point = deleted === undefined ? life.point : "Terminating";
  const sinceMs = deleted === undefined ? life.sinceMs : deleted.atMs;
  const stage = stages.find((each) => each.at === point && selects(each.selector, pod));
  const staged: Step | undefined = stage && {
    dueMs: sinceMs + stage.afterMs + Math.floor(stage.jitterMs * spread(pod.uid, life.restarts)),
    to: stage.to,
    exitCode: stage.exitCode,
  };
  if (deleted !== undefined) {
    // One that has ended already has nothing to wait for.
    const graceMs = life.point === "Ended" || life.point === "Waiting" ? 0 : Math.min(deleted.graceMs, longestGraceMs);
    return staged ?? { dueMs: deleted.atMs + graceMs, to: "Deleted", exitCode: 0 };
  }
  if (point === "BackOff") return staged ?? { dueMs: sinceMs + backOffMs(life.restarts), to: "Running", exitCode: 0 };
  if (point === "Ended" || point === "Waiting" || pod.runForMs === undefined) return staged;
  const ends: Step = { dueMs: life.startedMs + pod.runForMs, to: "Ended", exitCode: pod.exitCode };
  return staged === undefined || ends.dueMs < staged.dueMs ? ends : staged;
}

/** What becomes of a pod by a step, but for one that is deleted. */
export function after(pod: PodView, life: Life, step: Step, nowMs: number): Life {
  switch (step.to) {
    case "Running":
      return { ...life, point: "Running", sinceMs: nowMs, startedMs: nowMs };
    case "Ended": {
      const isRestarted = pod.restartPolicy === "Always" || (pod.restartPolicy === "OnFailure" && step.exitCode !== 0);
      if (isRestarted) return { ...life, point: "BackOff", sinceMs: nowMs, restarts: life.restarts + 1 };
      return { ...life, point: "Ended", sinceMs: nowMs };
    }
    case "Ready":
    case "Unready":
      return { ...life, point: step.to, sinceMs: nowMs };
    case "Deleted":
      return { ...life, point: "Terminating", sinceMs: nowMs };
  }
}

/** What a pod has become once it has taken every step that is due. */
export interface Progress {
  readonly life: Life;
  readonly taken: readonly Step[];
  /** What it does later. */
  readonly next: Step | undefined;
}

/** One report tells all of them, as an agent's would; a pod that is to go is not led further. */
export function progressOf(pod: PodView, from: Life, rules: LifeRules, nowMs: number): Progress {
  let life = from;
  const taken: Step[] = [];
  for (;;) {
    const next = nextStep(pod, life, rules);
    // Stages that lead in a circle without taking any time go on in the next report.
    if (next === undefined || next.dueMs > nowMs || taken.length === mostSteps) return { life, taken, next };
    life = after(pod, life, next, nowMs);
    taken.push(next);
    if (next.to === "Deleted") return { life, taken, next: undefined };
  }
}

const mostSteps = 3;

/** Of a restart: 10 s, twice as much with each further one, up to 5 min. */
export function backOffMs(restarts: number): number {
  return Math.min(longestBackOffMs, firstBackOffMs * 2 ** Math.min(Math.max(restarts - 1, 0), 10));
}

/** In [0, 1), the same for the same pod and life: FNV-1a. */
function spread(uid: string, restarts: number): number {
  let hash = 0x811c9dc5;
  const seed = `${uid}/${restarts}`;
  for (let i = 0; i < seed.length; i++) hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}
