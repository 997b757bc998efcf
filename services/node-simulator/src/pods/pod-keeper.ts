import type { Client } from "@orch/client/client.js";
import type { Mirror } from "@orch/client/mirror.js";
import { keyOf } from "@orch/client/object-store.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/status/clock.js";
import type { AgentPod, AgentPods } from "../agent/agent-pods.js";
import { createPodAddresses } from "../nodes/pod-addresses.js";
import type { Telemetry } from "../telemetry.js";
import { type Life, type LifeRules, lifeOf, progressOf } from "./life.js";
import { type KeptPod, keptPod, type PodAnnotations, type PodView } from "./pod-view.js";
import { isReady, statusOf } from "./status.js";

/** A node whose pods are lived here. */
export interface HostNode {
  readonly address: string;
  /** IPv4 range of its pods, where somebody gave it one. */
  readonly podCidr: string | undefined;
}

export interface PodKeeperDeps {
  readonly client: Pick<Client, "patch" | "delete">;
  readonly mirror: Mirror;
  readonly naming: Naming;
  readonly clock: Clock;
  readonly rules: LifeRules;
  /** The one node whose pods may be asked for; undefined: those of all. */
  readonly only: string | undefined;
  /** Undefined for a node of somebody else's, or one that has crashed. */
  readonly hostOf: (node: string) => HostNode | undefined;
  readonly telemetry: Telemetry;
  readonly onError: (error: unknown) => void;
}

export interface PodKeeper {
  /** Lives the pods of its nodes until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** A node has come or gone: its pods are looked at. */
  nodeChanged(node: string): void;
  /** What the agent of its nodes knows of them. */
  readonly pods: AgentPods;
}

/** Writes that are under way at once: a rollout's pods should not queue behind each other, nor crowd a server. */
const workers = 32;
/** Between two reports of a pod: stages that lead in a circle are no flood. */
const restMs = 50;
/** What containers end with that were stopped by force. */
const killed = 137;
const pods: Collection = { group: "", version: "v1", resource: "pods" };

export const podAnnotations = (naming: Naming): PodAnnotations => ({
  runFor: `sim.${naming.key("run-for")}`,
  exitCode: `sim.${naming.key("exit-code")}`,
  execExitCode: `sim.${naming.key("exec-exit-code")}`,
});

const isBound = ({ spec }: ApiObject): boolean => isRecord(spec) && (spec["nodeName"] ?? "") !== "";
const isBoundTo =
  (node: string) =>
  ({ spec }: ApiObject): boolean =>
    isRecord(spec) && spec["nodeName"] === node;
const nodeOf = ({ view }: KeptPod): readonly string[] => [view.node];

/** Plays the part of nodes' agents for the pods that are bound to them. */
export function createPodKeeper(deps: PodKeeperDeps): PodKeeper {
  const { client, mirror, clock, rules, hostOf, telemetry, onError } = deps;
  const annotations = podAnnotations(deps.naming);
  const lives = new Map<string, { readonly uid: string; readonly life: Life }>();
  const addresses = createPodAddresses();

  const view = mirror.view<KeptPod>({
    collection: pods,
    fieldSelector: deps.only === undefined ? "spec.nodeName!=" : `spec.nodeName=${deps.only}`,
    passes: deps.only === undefined ? isBound : isBoundTo(deps.only),
    sees: "objects",
    keep: (object) => keptPod(object, annotations),
    indexes: [nodeOf],
    handlers: {
      added(object) {
        const key = keyOf(object);
        const pod = view.store.get(key)?.view;
        if (pod !== undefined && pod.status.podIp !== "" && !pod.hostNetwork)
          addresses.keep(pod.node, pod.uid, pod.status.podIp);
        queue.add(key);
      },
      modified: (object) => queue.add(keyOf(object)),
      deleted: (_, kept) => forget(keyOf(kept), kept.view),
    },
    onError,
  });
  const queue = createWorkQueue<string>({
    workers,
    clock,
    work,
    observer: telemetry.queue("pods"),
    onError,
    longestDelayMs: 30_000,
  });

  function forget(key: string, pod: PodView): void {
    lives.delete(key);
    addresses.giveBack(pod.node, pod.uid);
    telemetry.pods(lives.size);
  }

  function lifeAt(key: string, pod: PodView): Life {
    const known = lives.get(key);
    if (known?.uid === pod.uid) return known.life;
    const life = lifeOf(pod, clock.now());
    lives.set(key, { uid: pod.uid, life });
    telemetry.pods(lives.size);
    return life;
  }

  async function work(key: string, signal: AbortSignal): Promise<Outcome> {
    const pod = view.store.get(key)?.view;
    const host = pod && hostOf(pod.node);
    if (pod === undefined || host === undefined) return "done";
    const life = lifeAt(key, pod);
    const nowMs = clock.now();
    const { life: reached, taken, next } = progressOf(pod, life, rules, nowMs);
    const last = taken.at(-1);
    // A gate may have been opened or closed by somebody else.
    const told = pod.status.conditions.get("Ready")?.isTrue === true;
    const isUntold = reached.point === "Ready" && pod.deleted === undefined && told !== isReady(pod, reached);
    if (last?.to === "Deleted") {
      // Who holds it, as jobs do, waits to be told how it ended.
      if (pod.isHeld && life.point !== "Ended")
        await tell(pod, { ...life, point: "Ended" }, { host, exitCode: killed, signal });
      await remove(pod, signal);
    } else if (last !== undefined || isUntold)
      await tell(pod, reached, { host, exitCode: last?.exitCode ?? 0, signal });
    for (const { to } of taken) telemetry.stepped(to);
    if (lives.get(key)?.uid === pod.uid) lives.set(key, { uid: pod.uid, life: reached });
    if (next === undefined) return "done";
    return { againAfterMs: Math.max(last === undefined ? 0 : restMs, next.dueMs - clock.now()) };
  }

  async function remove(pod: PodView, signal: AbortSignal): Promise<void> {
    const options = { gracePeriodSeconds: 0, preconditions: { uid: pod.uid }, signal };
    await client.delete({ ...pods, namespace: pod.namespace }, pod.name, options).catch(unlessPast);
  }

  async function tell(
    pod: PodView,
    life: Life,
    { host, exitCode, signal }: { readonly host: HostNode; readonly exitCode: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const podIp = pod.hostNetwork ? host.address : addresses.take(pod.node, pod.uid, host.podCidr);
    const status = statusOf(pod, life, { podIp, hostIp: host.address, nowMs: clock.now(), exitCode });
    // The uid makes it nobody else's: another pod may have its name by now.
    const body = { metadata: { uid: pod.uid }, status };
    const patch = { type: patchTypes.strategic, body, subresource: "status", signal };
    await client.patch({ ...pods, namespace: pod.namespace }, pod.name, patch).catch(unlessPast);
  }

  const isOurs = (pod: PodView | undefined): pod is PodView => pod !== undefined && hostOf(pod.node) !== undefined;
  function* ours(): Iterable<AgentPod> {
    for (const { view: pod } of view.store.values()) if (isOurs(pod)) yield agentPod(pod);
  }

  return {
    pods: {
      find(namespace, name) {
        const pod = view.store.get(`${namespace}/${name}`)?.view;
        return isOurs(pod) ? agentPod(pod) : undefined;
      },
      all: ours,
    },
    async run(signal) {
      // Before the first list nobody knows which addresses are taken.
      const viewing = view.run(signal);
      await Promise.race([view.synced, viewing]);
      await Promise.all([viewing, queue.run(signal)]);
    },
    nodeChanged(node) {
      for (const pod of view.byIndex(nodeOf, node)) queue.add(keyOf(pod));
    },
  };
}

function agentPod(pod: PodView): AgentPod {
  const { namespace, name, uid, node, execExitCode, status, initContainers, containers, ephemeralContainers } = pod;
  return {
    ...{ namespace, name, uid, node, execExitCode },
    containers: [...initContainers, ...containers, ...ephemeralContainers].map((each) => each.name),
    runningSinceMs: status.runningSinceMs,
    restarts: status.restarts,
  };
}
