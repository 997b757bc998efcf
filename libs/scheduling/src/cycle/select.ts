import { type Cycle, isRejection, type NodeScore } from "../framework/plugin.js";
import { maxNodeScore, type Profile } from "../framework/profile.js";
import { failed, type Rejection } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";

/** One plugin's part of the totals. */
export interface PluginScores {
  readonly plugin: string;
  readonly weight: number;
  /** As the plugin gives them, and brought to 0 … 100; in the order of the nodes. */
  readonly raw: readonly number[];
  readonly normalized: readonly number[];
}

export interface Totals {
  readonly totals: Float64Array;
  readonly error: Rejection | undefined;
}

export interface ScoreListeners {
  /** Told each plugin's part, for those who explain. */
  readonly tell?: (scores: PluginScores) => void;
  /** Told once `preScore` of all plugins is over, for those who measure. */
  readonly prepared?: (rejection: Rejection | undefined) => void;
}

/** Sums the scores of all plugins for nodes that fit. */
export function totalScores(
  profile: Profile,
  cycle: Cycle,
  nodes: readonly NodeInfo[],
  { tell, prepared: over }: ScoreListeners = {},
): Totals {
  const totals = new Float64Array(nodes.length);
  const prepared = new Map<string, NodeScore | undefined>();
  for (const { name, preScore } of profile.preScore) {
    const answer = preScore(cycle, nodes);
    if ("score" in answer) prepared.set(name, answer);
    else if (isRejection(answer)) {
      const why = `running PreScore plugin ${JSON.stringify(name)}: ${answer.reasons.join(", ")}`;
      const error = failed(name, why);
      over?.(error);
      return { totals, error };
    } else prepared.set(name, undefined);
  }
  over?.(undefined);
  const scores = new Float64Array(nodes.length);
  for (const { plugin, weight } of profile.score) {
    const { name, score } = plugin;
    if (score === "prepared" && !prepared.has(name)) {
      return { totals, error: failed(name, `reading ${JSON.stringify(`PreScore${name}`)} from cycleState: not found`) };
    }
    const own = score === "prepared" ? prepared.get(name) : score(cycle);
    if (own === undefined) continue;
    fill(scores, own, nodes);
    const raw = tell === undefined ? [] : [...scores];
    own.normalize?.(scores, nodes);
    for (let i = 0; i < scores.length; i++) {
      const value = scores[i] ?? 0;
      if (!(value >= 0 && value <= maxNodeScore)) return { totals, error: outOfRange(name, value) };
      totals[i] = (totals[i] ?? 0) + value * weight;
    }
    tell?.({ plugin: name, weight, raw, normalized: [...scores] });
  }
  return { totals, error: undefined };
}

function fill(scores: Float64Array, { score }: NodeScore, nodes: readonly NodeInfo[]): void {
  let i = 0;
  for (const node of nodes) {
    scores[i] = score(node);
    i += 1;
  }
}

const outOfRange = (plugin: string, score: number): Rejection =>
  failed(
    plugin,
    `plugin ${JSON.stringify(plugin)} returns an invalid score ${score}, it should in the range of [0, 100] after normalizing`,
  );

/** The place of the highest; each of several has the same chance. */
export function highest(totals: Float64Array, random: () => number): number {
  let best = 0;
  let ties = 1;
  for (let i = 1; i < totals.length; i++) {
    const [total, most] = [totals[i] ?? 0, totals[best] ?? 0];
    if (total > most) [best, ties] = [i, 1];
    else if (total === most) {
      ties += 1;
      if (random() * ties < 1) best = i;
    }
  }
  return best;
}
