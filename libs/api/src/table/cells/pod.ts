import { type Condition, isTrue } from "../../kinds/shared/conditions.js";
import { type AnyObject, type ApiObject, valueAt } from "../../object.js";
import { age, type Cell, type Cells, cell, none, type RowCondition } from "../cell.js";

interface Ended {
  readonly reason?: string;
  readonly exitCode?: number;
  readonly signal?: number;
  readonly finishedAt?: string;
}

interface ContainerStatus {
  readonly name?: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly running?: object;
    readonly terminated?: Ended;
  };
  readonly lastState?: { readonly terminated?: Ended };
}

interface Pod extends ApiObject {
  readonly spec?: {
    readonly containers?: readonly unknown[];
    readonly initContainers?: readonly { readonly name?: string; readonly restartPolicy?: string }[];
    readonly readinessGates?: readonly { readonly conditionType?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export const podCells: Cells = [
  ["podReady", cell<Pod>(ready)],
  ["podStatus", cell<Pod>(status)],
  ["podRestarts", cell<Pod>(restarts)],
  ["podReadinessGates", cell<Pod>(readinessGates)],
];

/** Init containers that keep running beside the others. */
function sidecars(pod: Pod): ReadonlySet<string | undefined> {
  const kept = (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === "Always");
  return new Set(kept.map((c) => c.name));
}

/** The first init container that has neither succeeded nor is a started sidecar. */
interface Blocker {
  readonly index: number;
  readonly status: ContainerStatus;
}

/** How far initialization has come. */
interface Initialization {
  readonly blocker: Blocker | undefined;
  /** Sidecars that are started and ready, up to the blocker. */
  readonly ready: number;
  /** The containers beside the init containers count: nothing blocks, or the pod says that it is initialized. */
  readonly done: boolean;
}

function initialization(pod: Pod, kept: ReadonlySet<string | undefined>): Initialization {
  let ready = 0;
  for (const [index, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const ended = status.state?.terminated;
    if (ended !== undefined && (ended.exitCode ?? 0) === 0) continue;
    if (!kept.has(status.name) || status.started !== true) {
      return { blocker: { index, status }, ready, done: isTrue(pod.status?.conditions, "Initialized") };
    }
    if (status.ready === true) ready += 1;
  }
  return { blocker: undefined, ready, done: true };
}

function isRunning(container: ContainerStatus): boolean {
  return container.state?.running !== undefined;
}

/** Ready and running, and nothing else to be said of its state. */
function isReady(container: ContainerStatus): boolean {
  return container.ready === true && isRunning(container) && reasonOf(container) === undefined;
}

function ready(pod: Pod): string {
  const kept = sidecars(pod);
  const { ready: readySidecars, done } = initialization(pod, kept);
  const readyContainers = done ? (pod.status?.containerStatuses ?? []).filter(isReady).length : 0;
  return `${readySidecars + readyContainers}/${(pod.spec?.containers ?? []).length + kept.size}`;
}

function endReason({ reason = "", signal = 0, exitCode = 0 }: Ended): string {
  if (reason !== "") return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

/** Why a container does not run; undefined where it runs, or nothing is known of it. */
function reasonOf({ state }: ContainerStatus): string | undefined {
  const waiting = state?.waiting?.reason ?? "";
  if (waiting !== "") return waiting;
  return state?.terminated === undefined ? undefined : endReason(state.terminated);
}

/** One word for where the pod stands: what blocks initialization, why a container does not run, else the phase. */
function status(pod: Pod): string {
  const { phase = "", reason = "" } = pod.status ?? {};
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (reason === "NodeLost") return "Unknown";
    if (!isOver(phase)) return "Terminating";
  }
  const { blocker, done } = initialization(pod, sidecars(pod));
  const before = blocker === undefined ? (gateOf(pod) ?? (reason || phase)) : initializing(pod, blocker);
  return done ? containersReason(pod, before) : before;
}

/** Scheduling gates hold the pod back. */
function gateOf(pod: Pod): string | undefined {
  const gated = "SchedulingGated";
  return pod.status?.conditions?.find((c) => c.type === "PodScheduled" && c.reason === gated)?.reason;
}

function initializing(pod: Pod, { index, status }: Blocker): string {
  return `Init:${initReason(status) ?? `${index}/${(pod.spec?.initContainers ?? []).length}`}`;
}

function isOver(phase: string): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

function initReason(blocker: ContainerStatus): string | undefined {
  const ended = blocker.state?.terminated;
  if (ended !== undefined) return endReason(ended);
  const waiting = blocker.state?.waiting?.reason ?? "";
  return waiting === "" || waiting === "PodInitializing" ? undefined : waiting;
}

/** The first container that does not run decides, unless it has only completed while others have not. */
function containersReason(pod: Pod, before: string): string {
  const containers = pod.status?.containerStatuses ?? [];
  const reason = firstReason(containers) ?? before;
  if (reason !== "Completed") return reason;
  const running = containers.some(isReady);
  if (running && isTrue(pod.status?.conditions, "Ready")) return "Running";
  const failed = firstReason(containers.filter((c) => (c.state?.terminated?.exitCode ?? 0) !== 0));
  return failed ?? (running ? "NotReady" : reason);
}

function firstReason(containers: readonly ContainerStatus[]): string | undefined {
  for (const container of containers) {
    const reason = reasonOf(container);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** While a pod initializes, restarts of its init containers up to the one at hand; then of all that keep running. */
function restarts(pod: Pod): Cell {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const kept = sidecars(pod);
  const { blocker, done } = initialization(pod, kept);
  const begun = blocker === undefined ? initContainerStatuses : initContainerStatuses.slice(0, blocker.index + 1);
  const counted = done ? [...begun.filter((c) => kept.has(c.name)), ...containerStatuses] : begun;
  const count = counted.reduce((sum, c) => sum + (c.restartCount ?? 0), 0);
  const last = counted.map((c) => c.lastState?.terminated?.finishedAt ?? "").reduce(later, "");
  const alone = String(count);
  return count === 0 || last === "" ? alone : age(last, { or: alone, before: `${count} (`, after: " ago)" });
}

/** Times as objects have them compare as text. */
function later(a: string, b: string): string {
  return a < b ? b : a;
}

function readinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return none;
  const open = gates.filter((g) => isTrue(pod.status?.conditions, g.conditionType ?? ""));
  return `${open.length}/${gates.length}`;
}

const succeeded: readonly RowCondition[] = [
  { type: "Completed", status: "True", reason: "Succeeded", message: "The pod ran to its end with success." },
];
const failed: readonly RowCondition[] = [
  { type: "Completed", status: "True", reason: "Failed", message: "The pod failed." },
];

export function podConditions(object: AnyObject): readonly RowCondition[] {
  const phase = valueAt(object, "status.phase");
  if (phase === "Succeeded") return succeeded;
  return phase === "Failed" ? failed : [];
}
