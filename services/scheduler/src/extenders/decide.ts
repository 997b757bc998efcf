import type { Cycles, Decision } from "@orch/scheduling/cycle/schedule.js";
import type { Nomination } from "@orch/scheduling/framework/plugin.js";
import type { Profile } from "@orch/scheduling/framework/profile.js";
import type { Rejection } from "@orch/scheduling/framework/status.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import { bestCandidate } from "@orch/scheduling/preemption/choose.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Extender } from "./extender.js";

export interface DecideDeps {
  readonly cycles: Cycles;
  /** Those that the pod concerns. */
  readonly extenders: readonly Extender[];
  readonly now: number;
  readonly signal: AbortSignal;
  /** Told of what an extender failed at that may be passed over. */
  readonly onError: (error: unknown) => void;
}

/**
 * Stands among the plugins that refused a pod for extenders that did: nobody knows what they look at, so that whatever
 * happens is worth another try.
 */
const everyEvent = "Extender";

/** A cycle in which others are asked: which nodes are left, how good they are, who goes for the pod. */
export async function decideWith(profile: Profile, pod: PodInfo, deps: DecideDeps): Promise<Decision> {
  const { cycles, extenders, now, signal, onError } = deps;
  const given = cycles.candidates(profile, pod, now);
  if ("outcome" in given) return given;
  const { feasible } = given.found;
  let left = feasible;
  const rejections = new Map<string, Rejection>();
  for (const extender of extenders.filter(({ filters }) => filters)) {
    if (left.length === 0) break;
    try {
      const filtered = await extender.filter(pod, left, signal);
      left = filtered.left;
      for (const [node, rejection] of filtered.rejections) rejections.set(node, rejection);
    } catch (error) {
      if (!extender.ignorable) return { outcome: "failed", message: messageOf(error) };
      onError(error);
    }
  }
  if (left.length > 1) return cycles.choose(given, left, await scoresOf(pod, left, deps));
  if (left.length > 0) return cycles.choose(given, left);
  const refusal = cycles.refuse(given, rejections);
  const refused = feasible.length === 0 ? refusal : { ...refusal, plugins: new Set([...refusal.plugins, everyEvent]) };
  if (refused.nomination === undefined || !extenders.some(({ preempts }) => preempts)) return refused;
  const candidates = await candidatesLeft(pod, refused.candidates, deps);
  if (!Array.isArray(candidates)) return { outcome: "failed", message: candidates.problem };
  return { ...refused, candidates, nomination: bestCandidate(candidates, now) };
}

/** Who cannot be asked how good nodes are has no say. */
async function scoresOf(
  pod: PodInfo,
  nodes: Parameters<Extender["prioritize"]>[1],
  { extenders, signal, onError }: DecideDeps,
): Promise<(node: string) => number> {
  const asked = extenders.filter(({ prioritizes }) => prioritizes);
  const all = await Promise.all(
    asked.map((extender) =>
      extender.prioritize(pod, nodes, signal).catch((error: unknown) => {
        onError(error);
        return new Map<string, number>();
      }),
    ),
  );
  return (node) => all.reduce((sum, scores) => sum + (scores.get(node) ?? 0), 0);
}

async function candidatesLeft(
  pod: PodInfo,
  candidates: readonly Nomination[],
  { extenders, signal, onError }: DecideDeps,
): Promise<Nomination[] | { readonly problem: string }> {
  let left = [...candidates];
  for (const extender of extenders.filter(({ preempts }) => preempts)) {
    if (left.length === 0) break;
    try {
      left = [...(await extender.preempt(pod, left, signal))];
      const idle = left.find(({ victims }) => victims.length === 0);
      left = left.filter(({ victims }) => victims.length > 0);
      if (idle !== undefined) throw new Error(`expected at least one victim pod on node ${JSON.stringify(idle.node)}`);
    } catch (error) {
      if (!extender.ignorable) return { problem: messageOf(error) };
      onError(error);
    }
  }
  return left;
}
