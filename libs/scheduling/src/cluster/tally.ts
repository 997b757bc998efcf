import type { NodeFacts } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";
import type { DomainQuestion, Follower } from "./domain-counts.js";

/** How many of some pods stand in each domain; domains without any are not known. */
export interface Tally {
  of(domain: string): number;
  /** Of pods in all domains. */
  readonly total: number;
}

/** A tally that follows changes. It holds domains with pods alone: of a label that all nodes have there may be thousands. */
export interface TallyFollower extends Tally, Follower {}

/** `held`: pods and where they are at the beginning. */
export function createTally(
  question: DomainQuestion,
  held: Iterable<readonly [node: NodeFacts, count: number]>,
): TallyFollower {
  const domains = new Map<string, number>();
  let total = 0;
  const add = (domain: string | undefined, by: number): void => {
    if (domain === undefined || by === 0) return;
    const count = (domains.get(domain) ?? 0) + by;
    total += by;
    if (count === 0) domains.delete(domain);
    else domains.set(domain, count);
  };
  const matching = (pods: readonly PodInfo[]): number => {
    let count = 0;
    for (const pod of pods) if (question.counts(pod)) count += 1;
    return count;
  };
  for (const [node, count] of held) add(question.domainOf(node), count);
  return {
    question,
    of: (domain) => domains.get(domain) ?? 0,
    get total() {
      return total;
    },
    podChanged(pod, node, by) {
      if (question.counts(pod)) add(question.domainOf(node), by);
    },
    nodeChanged(before, after, pods) {
      if (pods.length === 0) return;
      const from = before === undefined ? undefined : question.domainOf(before);
      const to = after === undefined ? undefined : question.domainOf(after);
      if (from === to) return;
      const count = matching(pods);
      add(from, -count);
      add(to, count);
    },
  };
}
