import type { Table } from "./base.js";
import type { SharedRule } from "./piece.js";

/** The rules of chains in which services have parts, in an order that depends on who they are and not on who came first. */
export interface SharedChains {
  put(owner: string, was: readonly SharedRule[], is: readonly SharedRule[]): void;
  rules(table: Table, chain: string): readonly string[];
  /** Chains that have changed since the last call, as `table chain`. */
  takeChanged(): ReadonlySet<string>;
}

/** One rank of one chain. */
interface Section {
  /** Sorted. */
  readonly owners: string[];
  readonly rules: Map<string, readonly string[]>;
}

export function createSharedChains(): SharedChains {
  const sections = new Map<string, Section>();
  const changed = new Set<string>();
  const sectionOf = (place: string, rank: number): Section => {
    const key = `${place} ${rank}`;
    const known = sections.get(key);
    if (known !== undefined) return known;
    const made: Section = { owners: [], rules: new Map() };
    sections.set(key, made);
    return made;
  };
  return {
    put(owner, was, is) {
      const [before, after] = [byPlace(was), byPlace(is)];
      for (const key of new Set([...before.keys(), ...after.keys()])) {
        const [old, next] = [before.get(key), after.get(key)];
        if (old?.join("\n") === next?.join("\n")) continue;
        const space = key.lastIndexOf(" ");
        const place = key.slice(0, space);
        changed.add(place);
        change(sectionOf(place, Number(key.slice(space + 1))), owner, next);
      }
    },
    rules(table, chain) {
      const all = [0, 1].flatMap((rank) => {
        const section = sections.get(`${table} ${chain} ${rank}`);
        return section === undefined ? [] : section.owners.flatMap((owner) => section.rules.get(owner) ?? []);
      });
      // Ports of one service share the rule of their health check.
      return [...new Set(all)];
    },
    takeChanged() {
      const taken = new Set(changed);
      changed.clear();
      return taken;
    },
  };
}

function byPlace(rules: readonly SharedRule[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const { table, chain, rank, rule } of rules) {
    const key = `${table} ${chain} ${rank}`;
    const known = places.get(key);
    if (known === undefined) places.set(key, [rule]);
    else known.push(rule);
  }
  return places;
}

function change({ owners, rules }: Section, owner: string, next: readonly string[] | undefined): void {
  const at = placeOf(owners, owner);
  if (next === undefined) {
    rules.delete(owner);
    if (owners[at] === owner) owners.splice(at, 1);
    return;
  }
  rules.set(owner, next);
  if (owners[at] !== owner) owners.splice(at, 0, owner);
}

/** Where a text stands in a sorted list, or would. */
function placeOf(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
