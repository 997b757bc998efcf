import type { Cluster } from "../cluster/cluster.js";
import type { Profile } from "../framework/profile.js";
import { failed, type Rejection, type Wait } from "../framework/status.js";
import type { PodInfo } from "../model/pod-info.js";
import type { SchedulingQueue } from "../queue/scheduling-queue.js";

/** Everything between a decision and a bound pod; the plugins of a profile in their order. */

/** Keeps what the pod will need. A rejection, or what a plugin throws, has been taken back again by all. */
export function reserve(profile: Profile, pod: PodInfo, node: string): Rejection | undefined {
  for (const plugin of profile.reserve) {
    const rejection = answerOf(plugin.name, () => plugin.reserve.reserve(pod, node));
    if (rejection === undefined) continue;
    unreserve(profile, pod, node);
    return rejection;
  }
  return undefined;
}

/** In the opposite order, also of plugins that reserved nothing. One that throws keeps no other from giving back. */
export function unreserve(profile: Profile, pod: PodInfo, node: string): void {
  for (const plugin of profile.reserve.toReversed()) {
    answerOf(plugin.name, () => {
      plugin.reserve.unreserve(pod, node);
      return undefined;
    });
  }
}

/** What a plugin that throws has said instead: users write plugins, and one that is broken keeps no other pod waiting. */
function answerOf<T>(plugin: string, ask: () => T): T | Rejection {
  try {
    return ask();
  } catch (error) {
    return failed(plugin, error instanceof Error ? error.message : String(error));
  }
}

const longestWaitMs = 15 * 60 * 1000;

export interface Permission {
  /** Plugins that have to allow the pod, and the longest time that they take to. */
  readonly waitsFor: ReadonlyMap<string, Wait>;
  readonly ms: number;
}

/** Whether the pod may go on, and for whom it has to wait: for the longest of their times, a quarter of an hour at most. */
export function permit(profile: Profile, pod: PodInfo, node: string): Rejection | Permission {
  const waitsFor = new Map<string, Wait>();
  let ms = 0;
  for (const plugin of profile.permit) {
    const answer = answerOf(plugin.name, () => plugin.permit(pod, node));
    if (answer === undefined) continue;
    if (answer.code !== "Wait") return answer;
    waitsFor.set(plugin.name, answer);
    ms = Math.max(ms, Math.min(answer.ms, longestWaitMs));
  }
  return { waitsFor, ms };
}

/** Makes ready what the pod needs on its node. Undefined: it can be bound. */
export async function preBindPod(
  profile: Profile,
  pod: PodInfo,
  node: string,
  signal: AbortSignal,
): Promise<Rejection | undefined> {
  for (const plugin of profile.preBind) {
    const rejection = await plugin.preBind(pod, node, signal);
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}

/** The first `bind` that does not skip. Undefined: the pod is bound, and {@link postBind} is next. */
export async function bindPod(
  profile: Profile,
  pod: PodInfo,
  node: string,
  signal: AbortSignal,
): Promise<Rejection | undefined> {
  for (const plugin of profile.bind) {
    const answer = await plugin.bind(pod, node, signal);
    if (answer?.code !== "Skip") return answer;
  }
  return failed("", "no bind plugin took the pod");
}

/** Tells plugins of a pod that is bound. Nothing can keep it from its node any more: what they throw is handed on. */
export function postBind(profile: Profile, pod: PodInfo, node: string, onError: (error: unknown) => void): void {
  for (const plugin of profile.postBind) {
    try {
      plugin.postBind(pod, node);
    } catch (error) {
      onError(error);
    }
  }
}

export interface Release {
  readonly cluster: Cluster;
  readonly queue: SchedulingQueue;
  readonly now: number;
}

/** An assumed pod did not come to its node: others may have its place. */
export function release(profile: Profile, pod: PodInfo, node: string, { cluster, queue, now }: Release): void {
  unreserve(profile, pod, node);
  const before = cluster.pod(pod.key);
  if (before === undefined || !cluster.isAssumed(pod.key)) return;
  cluster.forget(pod.key);
  queue.happened({ resource: "AssignedPod", actions: new Set(["Delete"]), before }, now);
}
