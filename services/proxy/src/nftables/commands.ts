import type { Claims } from "../claims.js";
import type { Piece } from "./piece.js";

/** The commands of one transaction, in an order in which each finds what it names. */
export interface Commands {
  /** `owner` has `is` from now on, in place of `was`. */
  change(owner: string, was: Piece, is: Piece): void;
  take(): Taken;
}

export interface Taken {
  readonly lines: readonly string[];
  /** By how much the number of rules has grown. */
  readonly rules: number;
  /** Chains that have rules now. */
  readonly used: readonly string[];
  /** Chains that have none any more, and are still there. */
  readonly unused: readonly string[];
}

/** `at`: family and table. */
export function createCommands(at: string, claims: Claims): Commands {
  const chains: string[] = [];
  const flushes: string[] = [];
  const removedSets: string[] = [];
  const addedSets: string[] = [];
  const rules: string[] = [];
  const used: string[] = [];
  const unused: string[] = [];
  /** Places that may have changed, by container and key, with what the kernel has there. */
  const touched = new Map<string, string | undefined>();
  let grown = 0;

  const touch = (place: string): string => {
    if (!touched.has(place)) touched.set(place, claims.holder(place));
    return place;
  };
  const changeChains = (was: Piece["chains"], is: Piece["chains"], isRenewed: boolean): void => {
    for (const [chain, own] of is) {
      const old = was.get(chain);
      if (old !== undefined && !isRenewed && isSameList(old, own)) continue;
      used.push(chain);
      if (old === undefined) chains.push(`add chain ${at} ${chain}`);
      else flushes.push(`flush chain ${at} ${chain}`);
      for (const rule of own) rules.push(`add rule ${at} ${chain} ${rule}`);
      grown += own.length - (old?.length ?? 0);
    }
    for (const [chain, old] of was) {
      if (is.has(chain)) continue;
      flushes.push(`flush chain ${at} ${chain}`);
      unused.push(chain);
      grown -= old.length;
    }
  };
  const changeSets = (was: Piece["sets"], is: Piece["sets"]): void => {
    for (const [set, own] of is) {
      const old = was.get(set);
      if (old === own) continue;
      if (old !== undefined) removedSets.push(`delete set ${at} ${set}`);
      addedSets.push(`add set ${at} ${set} { ${own} }`);
    }
    for (const set of was.keys()) if (!is.has(set)) removedSets.push(`delete set ${at} ${set}`);
  };
  const elementCommands = () => {
    const removed: string[] = [];
    const added: string[] = [];
    for (const [place, was] of touched) {
      const is = claims.holder(place);
      if (is === was) continue;
      if (was !== undefined) removed.push(elementCommand("delete", at, place, ""));
      if (is !== undefined) added.push(elementCommand("add", at, place, is));
    }
    return { removed, added };
  };

  return {
    change(owner, was, is) {
      // A set that is made anew has to be let go by the rules that name it: they are written anew as well.
      const isRenewed = [...is.sets].some(([set, own]) => was.sets.has(set) && was.sets.get(set) !== own);
      changeChains(was.chains, is.chains, isRenewed);
      changeSets(was.sets, is.sets);
      for (const { container, key } of was.elements) claims.release(touch(placeOf(container, key)), owner);
      for (const { container, key, rank, value } of is.elements) {
        claims.claim(touch(placeOf(container, key)), owner, { rank, value });
      }
    },
    take() {
      const { removed, added } = elementCommands();
      const lines = [chains, flushes, removed, removedSets, addedSets, rules, added].flat();
      return { lines, rules: grown, used, unused };
    },
  };
}

/** `service-ips 10.0.0.1 . tcp . 80`. */
const placeOf = (container: string, key: string): string => `${container} ${key}`;

function elementCommand(verb: "add" | "delete", at: string, place: string, value: string): string {
  const space = place.indexOf(" ");
  const [container, key] = [place.slice(0, space), place.slice(space + 1)];
  return `${verb} element ${at} ${container} { ${value === "" ? key : `${key} ${value}`} }`;
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i]);
