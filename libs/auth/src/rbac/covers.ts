import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import { allowsPath, type CompiledRole, compileRole, has, type ResourceRule } from "./compiled-role.js";

/** What of some rules is not held. */
export interface Uncovered {
  /** Single rules: one verb on one resource, of one name where the rule has names; or on one path. */
  readonly missing: readonly PolicyRule[];
  /** There may be more: they were too many to be looked at one by one. */
  readonly more: boolean;
}

/** What taking rules apart may cost, in comparisons: a kilobyte of rules can stand for billions of single ones. */
const maxWork = 500_000;
const maxMissing = 10_000;

/**
 * What somebody who holds `held` may not hand out of `wanted`; undefined where it is nothing. Each single rule of
 * `wanted` must stand in one rule of `held` (as the reference takes them apart). What is too much to look at is not held.
 */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): Uncovered | undefined {
  const role = compileRole(held);
  const missing: PolicyRule[] = [];
  let work = 0;
  for (const rule of wanted) {
    for (const { rule: single, cost } of notCovered(role, rule)) {
      work += cost;
      if (single !== undefined) missing.push(single);
      if (work > maxWork || missing.length > maxMissing) return { missing, more: true };
    }
  }
  return missing.length === 0 ? undefined : { missing, more: false };
}

/** A step: what it has cost, and a single rule that is not held where it came upon one. */
interface Step {
  readonly cost: number;
  readonly rule?: PolicyRule;
}

function* notCovered(held: CompiledRole, rule: PolicyRule): Generator<Step> {
  yield* resourcesNotCovered(held, rule);
  const { verbs = [], nonResourceURLs = [] } = rule;
  for (const path of nonResourceURLs) {
    for (const verb of verbs) {
      const cost = held.paths.length + 1;
      if (held.paths.some((one) => allowsPath(one, { kind: "path", verb, path }))) yield { cost };
      else yield { cost, rule: { nonResourceURLs: [path], verbs: [verb] } };
    }
  }
}

function* resourcesNotCovered(held: CompiledRole, rule: PolicyRule): Generator<Step> {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const size = verbs.length + apiGroups.length + resources.length + resourceNames.length;
  for (const one of held.resources) {
    yield { cost: size };
    if (coversWhole(one, rule)) return;
  }
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  for (const group of apiGroups) {
    for (const resource of resources) {
      yield { cost: held.resources.length };
      const holders = held.resources.filter((one) => has(one.groups, group) && isOf(one, resource));
      for (const verb of verbs) {
        for (const name of names) {
          const cost = holders.length + 1;
          if (holders.some((one) => has(one.verbs, verb) && isFor(one, name))) yield { cost };
          else {
            const named = name === undefined ? {} : { resourceNames: [name] };
            yield { cost, rule: { apiGroups: [group], resources: [resource], ...named, verbs: [verb] } };
          }
        }
      }
    }
  }
}

function coversWhole(one: ResourceRule, rule: PolicyRule): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  return (
    verbs.every((verb) => has(one.verbs, verb)) &&
    apiGroups.every((group) => has(one.groups, group)) &&
    resources.every((resource) => isOf(one, resource)) &&
    (resourceNames.length === 0 ? isFor(one, undefined) : resourceNames.every((name) => isFor(one, name)))
  );
}

/** `pods/log` is held by who holds that subresource of everything. */
function isOf({ resources }: ResourceRule, resource: string): boolean {
  const slash = resource.indexOf("/");
  return has(resources, resource) || (slash >= 0 && has(resources, `*${resource.slice(slash)}`));
}

/** A rule for some names does not hold one for all of them. */
function isFor({ names }: ResourceRule, name: string | undefined): boolean {
  return names === undefined || (name !== undefined && names.has(name));
}

/** Verbs of the same resource and name in one rule; paths stay as they are. */
export function compact(single: readonly PolicyRule[]): readonly PolicyRule[] {
  const rules = new Map<string, { rule: PolicyRule; verbs: string[] }>();
  for (const [i, rule] of single.entries()) {
    const { apiGroups, resources, resourceNames, verbs = [] } = rule;
    const key = rule.nonResourceURLs === undefined ? JSON.stringify([apiGroups, resources, resourceNames]) : `${i}`;
    const known = rules.get(key);
    if (known === undefined) rules.set(key, { rule, verbs: [...verbs] });
    else known.verbs.push(...verbs);
  }
  return [...rules.values()].map(({ rule, verbs }) => ({ ...rule, verbs }));
}

/** As the reference prints a rule: `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`. */
export function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ] as const;
  const texts = parts.flatMap(([name, words = []]) => (words.length === 0 ? [] : [`${name}:${quotedList(words)}`]));
  return `{${texts.join(", ")}}`;
}

/** `["a" "b"]`. */
function quotedList(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(" ")}]`;
}

/** Characters of single rules that the text of an error is made of: words may be as long as a body. */
const longestTold = 262_144;
/** Characters that it may have. */
const longestText = 65_536;

export interface Grantor {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Why somebody may not grant rules, in the reference's words. `evaluationError` is that of his own rules. */
export function escalationText(who: Grantor, { missing, more }: Uncovered, evaluationError: string): string {
  const singles = upTo(longestTold, missing);
  const rules = upTo(longestText, compact(singles.rules));
  const lines = [...new Set(rules.rules.map(ruleText))].sort();
  if (more || singles.cut || rules.cut) lines.push("and more than can be told");
  const what = `user ${JSON.stringify(who.name)} (groups=${quotedList(who.groups)}) is attempting to grant RBAC permissions not currently held:`;
  const resolution = evaluationError === "" ? "" : `; resolution errors: [${evaluationError}]`;
  return `${what}\n${lines.join("\n")}${resolution}`;
}

/** The first rules, of so many characters together. */
function upTo(
  characters: number,
  rules: readonly PolicyRule[],
): { readonly rules: readonly PolicyRule[]; readonly cut: boolean } {
  let room = characters;
  const count = rules.findIndex((rule) => {
    room -= lengthOf(rule);
    return room < 0;
  });
  return count < 0 ? { rules, cut: false } : { rules: rules.slice(0, count), cut: true };
}

function lengthOf(rule: PolicyRule): number {
  const { apiGroups = [], resources = [], nonResourceURLs = [], resourceNames = [], verbs = [] } = rule;
  const words = [apiGroups, resources, nonResourceURLs, resourceNames, verbs].flat();
  return words.reduce((sum, word) => sum + word.length + 3, 32);
}
