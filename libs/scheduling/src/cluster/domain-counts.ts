import type { Matcher } from "../model/matcher.js";
import type { NodeFacts } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";
import type { Countable } from "./pod-groups.js";

/** How many of some pods stand in each domain of some nodes. */
export interface DomainQuestion {
  /** The same for questions that are the same. */
  readonly text: string;
  /** Which pods; those that match it are a part of what {@link selector} matches. */
  readonly counts: (pod: Countable) => boolean;
  readonly selector: Matcher | undefined;
  /** The domain of a node; undefined: its pods are not counted. */
  readonly domainOf: (node: NodeFacts) => string | undefined;
  /** Answers are no longer true once labels of namespaces change. */
  readonly byNamespaceLabels?: boolean;
}

export interface DomainCounts {
  /** Pods in a domain; 0 for one that there is not. */
  of(domain: string): number;
  has(domain: string): boolean;
  /** Of domains. */
  readonly size: number;
  /** Of pods in all domains. */
  readonly total: number;
  /** Pods in the emptiest domain; 0 where there is none. */
  readonly min: number;
  /** {@link min} as it would be with `by` pods more in a domain. */
  minWith(domain: string, by: number): number;
}

/** Follows the changes of pods and nodes. */
export interface Follower {
  readonly question: DomainQuestion;
  podChanged(pod: PodInfo, node: NodeFacts, by: 1 | -1): void;
  nodeChanged(before: NodeFacts | undefined, after: NodeFacts | undefined, pods: readonly PodInfo[]): void;
}

export interface DomainCounter extends DomainCounts, Follower {}

/** What there is when a counter begins. */
export interface Beginning {
  readonly nodes: Iterable<NodeFacts>;
  /** Pods that the question counts, and where they are. */
  readonly held: Iterable<readonly [node: NodeFacts, count: number]>;
}

interface Domain {
  nodes: number;
  pods: number;
}

/**
 * Keeps how many domains have each count, so that the lowest is known without a look at all of them.
 *
 * a: 2 pods, b: 0, c: 2   →   min 0, {0: 1, 2: 2};   b + 1   →   min 1, {1: 1, 2: 2}
 */
export function createDomainCounter(question: DomainQuestion, { nodes, held }: Beginning): DomainCounter {
  const domains = new Map<string, Domain>();
  const byCount = new Map<number, number>();
  let total = 0;
  let min = 0;

  const shift = (count: number, by: 1 | -1): void => {
    const left = (byCount.get(count) ?? 0) + by;
    if (left === 0) byCount.delete(count);
    else byCount.set(count, left);
  };
  const lowest = (but?: number): number => {
    let found = Number.POSITIVE_INFINITY;
    for (const count of byCount.keys()) if (count !== but && count < found) found = count;
    return found;
  };
  const move = (domain: Domain, by: number): void => {
    if (by === 0) return;
    shift(domain.pods, -1);
    const before = domain.pods;
    domain.pods += by;
    total += by;
    shift(domain.pods, 1);
    if (domain.pods < min) min = domain.pods;
    else if (before === min && !byCount.has(min)) min = lowest();
  };
  const matching = (pods: readonly PodInfo[]): number => {
    let count = 0;
    for (const pod of pods) if (question.counts(pod)) count += 1;
    return count;
  };
  const enter = (name: string, pods: readonly PodInfo[]): void => {
    let domain = domains.get(name);
    if (domain === undefined) {
      domain = { nodes: 0, pods: 0 };
      domains.set(name, domain);
      shift(0, 1);
      min = 0;
    }
    domain.nodes += 1;
    move(domain, matching(pods));
  };
  const leave = (name: string, pods: readonly PodInfo[]): void => {
    const domain = domains.get(name);
    if (domain === undefined) return;
    move(domain, -matching(pods));
    domain.nodes -= 1;
    if (domain.nodes > 0) return;
    domains.delete(name);
    shift(domain.pods, -1);
    min = domains.size === 0 ? 0 : lowest();
  };

  const counter: DomainCounter = {
    question,
    of: (domain) => domains.get(domain)?.pods ?? 0,
    has: (domain) => domains.has(domain),
    get size() {
      return domains.size;
    },
    get total() {
      return total;
    },
    get min() {
      return min;
    },
    minWith(name, by) {
      const domain = domains.get(name);
      if (domain === undefined) return min;
      const isAloneLowest = domain.pods === min && byCount.get(min) === 1;
      return Math.min(isAloneLowest ? lowest(min) : min, domain.pods + by);
    },
    podChanged(pod, node, by) {
      if (!question.counts(pod)) return;
      const name = question.domainOf(node);
      const domain = name === undefined ? undefined : domains.get(name);
      if (domain !== undefined) move(domain, by);
    },
    nodeChanged(before, after, pods) {
      const from = before === undefined ? undefined : question.domainOf(before);
      const to = after === undefined ? undefined : question.domainOf(after);
      if (from === to) return;
      if (from !== undefined) leave(from, pods);
      if (to !== undefined) enter(to, pods);
    },
  };
  for (const node of nodes) counter.nodeChanged(undefined, node, []);
  for (const [node, count] of held) {
    const name = question.domainOf(node);
    const domain = name === undefined ? undefined : domains.get(name);
    if (domain !== undefined) move(domain, count);
  }
  return counter;
}
