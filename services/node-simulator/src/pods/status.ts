import { wireTime } from "@orch/status/wire-time.js";
import type { Life } from "./life.js";
import type { Container, PodView } from "./pod-view.js";

export interface StatusParts {
  readonly podIp: string;
  readonly hostIp: string;
  readonly nowMs: number;
  /** Of the containers, where they have ended. */
  readonly exitCode: number;
}

type Fields = Readonly<Record<string, unknown>>;

const phases = {
  Waiting: "Pending",
  Running: "Running",
  Ready: "Running",
  Unready: "Running",
  BackOff: "Running",
  Ended: "",
  Terminating: "Running",
} as const;

/** A strategic merge patch of a pod's status: what its node's agent would say of it at this point of its life. */
export function statusOf(pod: PodView, life: Life, parts: StatusParts): Fields {
  const { nowMs, exitCode, podIp, hostIp } = parts;
  const ended = exitCode === 0 ? "Succeeded" : "Failed";
  const phase = life.point === "Ended" ? ended : phases[life.point];
  const started = pod.status.startTimeMs ?? nowMs;
  return {
    phase,
    startTime: wireTime(started),
    ...{ hostIP: hostIp, hostIPs: [{ ip: hostIp }] },
    ...(podIp === "" ? {} : { podIP: podIp, podIPs: [{ ip: podIp }] }),
    conditions: conditionsOf(pod, life, nowMs),
    ...(pod.initContainers.length === 0
      ? {}
      : { initContainerStatuses: pod.initContainers.map((each) => initialized(each, pod, wireTime(started))) }),
    containerStatuses: pod.containers.map((each) => containerStatus(each, { pod, life, parts })),
  };
}

/** Whether a pod is ready: its containers are, and everything else that it waits for. */
export function isReady(pod: PodView, life: Life): boolean {
  return life.point === "Ready" && pod.readinessGates.every((gate) => pod.status.conditions.get(gate)?.isTrue === true);
}

function conditionsOf(pod: PodView, life: Life, nowMs: number): readonly Fields[] {
  const completed = life.point === "Ended";
  const unready = completed
    ? { reason: "PodCompleted" }
    : {
        reason: "ContainersNotReady",
        message: `containers with unready status: [${pod.containers.map(({ name }) => name).join(" ")}]`,
      };
  const gated =
    life.point === "Ready"
      ? { reason: "ReadinessGatesNotReady", message: "corresponding condition of pod readiness gate is not true" }
      : unready;
  const condition = (type: string, isTrue: boolean, why: Fields): Fields => {
    const before = pod.status.conditions.get(type);
    const changed = before?.isTrue === isTrue ? (before.changedMs ?? nowMs) : nowMs;
    // Absent fields of a patch keep what was there.
    const told = isTrue ? { reason: null, message: null } : { reason: null, message: null, ...why };
    return {
      ...{ type, status: isTrue ? "True" : "False", lastProbeTime: null, lastTransitionTime: wireTime(changed) },
      ...told,
    };
  };
  return [
    condition("PodReadyToStartContainers", !completed && life.point !== "Waiting", {}),
    condition("Initialized", true, {}),
    condition("Ready", isReady(pod, life), gated),
    condition("ContainersReady", life.point === "Ready", unready),
    condition("PodScheduled", true, {}),
  ];
}

interface StatusOf {
  readonly pod: PodView;
  readonly life: Life;
  readonly parts: StatusParts;
}

function containerStatus({ name, image }: Container, { pod, life, parts }: StatusOf): Fields {
  const { nowMs, exitCode } = parts;
  const id = `simulated://${pod.uid}/${name}/${life.restarts}`;
  const common = { name, image, imageID: `simulated://${image}`, restartCount: life.restarts };
  const terminated = {
    terminated: {
      exitCode,
      reason: exitCode === 0 ? "Completed" : "Error",
      startedAt: wireTime(life.startedMs),
      finishedAt: wireTime(nowMs),
      containerID: id,
    },
  };
  switch (life.point) {
    case "Waiting":
      return {
        ...common,
        ready: false,
        started: false,
        state: { waiting: { reason: "ContainerCreating" } },
        lastState: {},
      };
    case "BackOff":
      return {
        ...{ ...common, ready: false, started: false, lastState: terminated },
        state: {
          waiting: {
            reason: "CrashLoopBackOff",
            message: `back-off restarting failed container=${name} pod=${pod.name}_${pod.namespace}(${pod.uid})`,
          },
        },
      };
    case "Ended":
      return { ...common, ready: false, started: false, state: terminated, lastState: {}, containerID: id };
    default:
      return {
        ...{ ...common, ready: life.point === "Ready", started: true, containerID: id, lastState: {} },
        state: { running: { startedAt: wireTime(life.startedMs) } },
      };
  }
}

function initialized({ name, image }: Container, pod: PodView, at: string): Fields {
  const ended = { exitCode: 0, reason: "Completed", startedAt: at, finishedAt: at };
  return {
    ...{ name, image, imageID: `simulated://${image}`, ready: true, started: false, restartCount: 0, lastState: {} },
    ...{ containerID: `simulated://${pod.uid}/${name}/0`, state: { terminated: ended } },
  };
}
