import type { BalancedPort } from "./model/balance.js";
import type { NodeFacts } from "./model/node.js";

/** What a ruleset is made for; it never changes. */
export interface RulesetOptions {
  /** The bit of a packet's mark that has it masqueraded: `0x4000`. */
  readonly mark: string;
  /** Everything that goes to a cluster address is masqueraded, wherever it comes from. */
  readonly masqueradesAll: boolean;
  readonly systemName: (part: string) => string;
  /** The product in comments of rules. */
  readonly product: string;
}

/** What changes with the node and not with services. */
export interface Surroundings extends NodeFacts {
  /** Of cluster addresses, where they are known: one that no service has is dropped. */
  readonly serviceNetworks: readonly string[];
}

/** What brings the kernel from what was written last to what is wanted. */
export interface Writing {
  /** Input of the backend's program; "": nothing is to be written. */
  readonly text: string;
  /** All of it, and not what has changed. */
  readonly isWhole: boolean;
  /** Of a large whole one: the same as several transactions, each of which is sound after those before it. */
  readonly parts?: readonly string[];
  /** Milliseconds after which there is more to write although nothing changes; undefined: never. */
  readonly againAfter: number | undefined;
}

/**
 * The rules of one address family as a backend writes them. It remembers what the kernel has: {@link write} takes what it
 * gives as written, until {@link forget} says that this is not known.
 */
export interface Ruleset {
  /** The ports of a service as they are from now on, in place of those that it had. */
  put(service: string, ports: readonly BalancedPort[]): void;
  surround(surroundings: Surroundings): void;
  /** Whether the next writing holds no more than what has changed. */
  readonly isKnown: boolean;
  /** What the kernel has is not known: the next writing is a whole one. */
  forget(): void;
  /** `chains`: those of ours that the kernel has, for a whole writing; `now`: milliseconds that only grow. */
  write(now: number, chains?: KnownChains): Writing;
  /** For metrics: lines by table. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** Chains by table, as the kernel has them. */
export type KnownChains = ReadonlyMap<string, readonly string[]>;
