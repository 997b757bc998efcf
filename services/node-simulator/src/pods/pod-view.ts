import { identityOnly } from "@orch/client/metadata-only.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { durationMs } from "@orch/schema/formats/duration.js";

/** What the simulation looks at of a pod. */
export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the owner that controls it: `Job`; "" of a pod by itself. */
  readonly ownerKind: string;
  readonly hostNetwork: boolean;
  readonly restartPolicy: "Always" | "OnFailure" | "Never";
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  /** Condition types that must be True before the pod is ready. */
  readonly readinessGates: readonly string[];
  /** By its annotations: milliseconds that its containers run, and the code that they end with. */
  readonly runForMs: number | undefined;
  readonly exitCode: number;
  /** What a command that is tried in it ends with. */
  readonly execExitCode: number;
  readonly ephemeralContainers: readonly Container[];
  /** When it was deleted, and how long it may take to stop; undefined while nobody wants that. */
  readonly deleted: { readonly atMs: number; readonly graceMs: number } | undefined;
  /** By a finalizer: it is seen after its end. */
  readonly isHeld: boolean;
  readonly status: PodStatusView;
}

export interface Container {
  readonly name: string;
  readonly image: string;
}

/** What its status says so far. */
export interface PodStatusView {
  readonly phase: string;
  readonly podIp: string;
  readonly startTimeMs: number | undefined;
  readonly conditions: ReadonlyMap<string, ConditionView>;
  readonly restarts: number;
  /** Since when containers run; undefined while they do not. */
  readonly runningSinceMs: number | undefined;
  /** When containers ended that wait to be started again. */
  readonly waitingSinceMs: number | undefined;
}

export interface ConditionView {
  readonly isTrue: boolean;
  readonly changedMs: number | undefined;
}

/** Annotations by which a pod says how it is to live; without the dialect's domain. */
export interface PodAnnotations {
  readonly runFor: string;
  readonly exitCode: string;
  readonly execExitCode: string;
}

const none: Readonly<Record<string, unknown>> = {};
const record = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : none);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const records = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Milliseconds since 1970; undefined of what is no time. */
function timeOf(value: unknown): number | undefined {
  const ms = Date.parse(text(value));
  return Number.isNaN(ms) ? undefined : ms;
}

export function podView({ metadata, spec: rawSpec, status }: ApiObject, annotations: PodAnnotations): PodView {
  const spec = record(rawSpec);
  const given = metadata.annotations ?? {};
  const codeOf = (annotation: string): number => {
    const code = Number.parseInt(given[annotation] ?? "", 10);
    return Number.isInteger(code) ? code : 0;
  };
  const owner = records(metadata["ownerReferences"]).find((each) => each["controller"] === true);
  const graceSeconds = metadata["deletionGracePeriodSeconds"];
  const graceMs = typeof graceSeconds === "number" ? graceSeconds * 1000 : 0;
  const leaves = timeOf(metadata["deletionTimestamp"]);
  const policy = text(spec["restartPolicy"]);
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    node: text(spec["nodeName"]),
    labels: metadata.labels ?? {},
    ownerKind: text(owner?.["kind"]),
    hostNetwork: spec["hostNetwork"] === true,
    restartPolicy: policy === "Never" || policy === "OnFailure" ? policy : "Always",
    containers: records(spec["containers"]).map(containerOf),
    initContainers: records(spec["initContainers"]).map(containerOf),
    readinessGates: records(spec["readinessGates"]).map((gate) => text(gate["conditionType"])),
    runForMs: durationMs(given[annotations.runFor] ?? ""),
    exitCode: codeOf(annotations.exitCode),
    execExitCode: codeOf(annotations.execExitCode),
    ephemeralContainers: records(spec["ephemeralContainers"]).map(containerOf),
    // The time of deletion is the one by which it is to be gone.
    deleted: leaves === undefined ? undefined : { atMs: leaves - graceMs, graceMs },
    isHeld: Array.isArray(metadata["finalizers"]) && metadata["finalizers"].length > 0,
    status: statusView(record(status)),
  };
}

const containerOf = (value: Readonly<Record<string, unknown>>): Container => ({
  name: text(value["name"]),
  image: text(value["image"]),
});

function statusView(status: Readonly<Record<string, unknown>>): PodStatusView {
  const containers = records(status["containerStatuses"]);
  const [first] = containers;
  const state = record(first?.["state"]);
  const running = record(state["running"]);
  const waiting = record(state["waiting"]);
  const ended = record(record(first?.["lastState"])["terminated"]);
  const conditions = records(status["conditions"]).map(
    (each) =>
      [
        text(each["type"]),
        { isTrue: each["status"] === "True", changedMs: timeOf(each["lastTransitionTime"]) },
      ] as const,
  );
  const restarts = first?.["restartCount"];
  return {
    phase: text(status["phase"]),
    podIp: text(status["podIP"]),
    startTimeMs: timeOf(status["startTime"]),
    conditions: new Map(conditions),
    restarts: typeof restarts === "number" ? restarts : 0,
    runningSinceMs: state["running"] === undefined ? undefined : timeOf(running["startedAt"]),
    waitingSinceMs: text(waiting["reason"]) === "CrashLoopBackOff" ? timeOf(ended["finishedAt"]) : undefined,
  };
}

/** A pod as the mirror keeps it: tens of thousands of them. */
export interface KeptPod extends ApiObject {
  readonly view: PodView;
}

export function keptPod(object: ApiObject, annotations: PodAnnotations): KeptPod {
  return { ...identityOnly(object), view: podView(object, annotations) };
}
