import type { Decision } from "../authorizer.js";
import { type Asked, type CompiledRole, isAbout, type ResourceRule, roleAllows } from "./compiled-role.js";

/** A role that somebody has, and the answer to what it allows. */
export interface Grant {
  readonly role: CompiledRole;
  readonly decision: Decision;
}

/** The roles of one subject in one scope, each once. */
export interface Grants {
  readonly all: readonly Grant[];
  /** How many rules they have together. */
  readonly rules: number;
  /** Roles that bindings name and that are not there, a sentence each. */
  readonly problems: readonly string[];
}

/** Finds what allows a request. */
export interface GrantFinder {
  find(grants: Grants, asked: Asked): Grant | undefined;
  /** These are no longer looked at. */
  forget(grants: Grants): void;
  /** How much is remembered, in answers and names. */
  readonly size: number;
}

/** For one thing that is asked: who allows it whatever the name, or else for which names. */
type Found =
  | { readonly whatever: Grant }
  | { readonly whatever?: undefined; readonly named: ReadonlyMap<string, Grant> | undefined };

/** So few rules are looked through in less time than an answer is looked up. */
const fewRules = 8;
/** What is longer is not remembered: words of reviews may be of any length. */
const longestKey = 512;

/**
 * Looks through few rules, and remembers the answers for many: thousands of roles cost one look-up. `capacity` bounds
 * all that is remembered, in answers and names; when it is full everything is forgotten.
 */
export function createGrantFinder({ capacity = 100_000 }: { readonly capacity?: number } = {}): GrantFinder {
  let known = new Map<Grants, Answers>();
  let used = 0;

  const remember = (grants: Grants, key: string, found: Found): void => {
    const weight = 1 + (found.whatever === undefined ? (found.named?.size ?? 0) : 0);
    if (weight > capacity) return;
    if (used + weight > capacity) {
      known = new Map();
      used = 0;
    }
    const answers = known.get(grants) ?? { weight: 0, found: new Map<string, Found>() };
    known.set(grants, answers);
    answers.found.set(key, found);
    answers.weight += weight;
    used += weight;
  };

  return {
    find(grants, asked) {
      if (grants.rules <= fewRules) return firstAllowing(grants, asked);
      const key = keyOf(asked);
      let found = known.get(grants)?.found.get(key);
      if (found === undefined) {
        found = search(grants, asked);
        if (key.length <= longestKey) remember(grants, key, found);
      }
      if (found.whatever !== undefined) return found.whatever;
      return asked.kind === "resource" ? found.named?.get(asked.name) : undefined;
    },
    forget(grants) {
      used -= known.get(grants)?.weight ?? 0;
      known.delete(grants);
    },
    get size() {
      return used;
    },
  };
}

interface Answers {
  readonly found: Map<string, Found>;
  weight: number;
}

function firstAllowing({ all }: Grants, asked: Asked): Grant | undefined {
  return all.find(({ role }) => roleAllows(role, asked));
}

/** As {@link firstAllowing}, for every name at once. */
function search(grants: Grants, asked: Asked): Found {
  if (asked.kind === "path") {
    const grant = firstAllowing(grants, asked);
    return grant === undefined ? nothing : { whatever: grant };
  }
  let named: Map<string, Grant> | undefined;
  for (const grant of grants.all) {
    for (const rule of grant.role.resources) {
      if (!isAbout(rule, asked)) continue;
      if (rule.names === undefined) return { whatever: grant };
      named ??= new Map();
      addNames(named, rule.names, grant);
    }
  }
  return named === undefined ? nothing : { named };
}

const nothing: Found = { named: undefined };

function addNames(named: Map<string, Grant>, names: NonNullable<ResourceRule["names"]>, grant: Grant): void {
  for (const name of names) if (!named.has(name)) named.set(name, grant);
}

/** One text for one question, names left aside: with lengths, so that no two questions have the same. */
function keyOf(asked: Asked): string {
  const { verb } = asked;
  if (asked.kind === "path") return `/${verb.length},${verb}${asked.path}`;
  const { group, resource, ofEverything } = asked;
  const subresource = ofEverything === resource ? 0 : ofEverything.length;
  return `${verb.length},${group.length},${subresource},${verb}${group}${resource}`;
}
