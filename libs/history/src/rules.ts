import { rootTree, type Tree } from "@orch/auth/config/tree.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { fieldError } from "@orch/status/field-error.js";

/** How much is kept of an object's past. */
export interface HistoryLimits {
  readonly maxAgeMs: number;
  /** States of one object. */
  readonly maxStates: number;
}

/** Whose past is kept: of what matches in each list; an empty list matches all. */
export interface HistoryRule {
  /** "" is the core group. */
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  /** Matches nothing that is in no namespace, unless it is empty. */
  readonly namespaces: readonly string[];
  /** Undefined: nothing is kept. */
  readonly limits: HistoryLimits | undefined;
}

/** Of the records of one object, about: whoever writes large states has fewer of them. */
export const mostObjectBytes = 8 << 20;

export interface HistoryPolicy {
  /** The first that matches decides; what none matches has no history. */
  readonly rules: readonly HistoryRule[];
  /** Bytes of all records together, about: the oldest go first. */
  readonly maxBytes: number;
}

/** A collection of objects, as rules see it. */
export interface RuledObject {
  readonly group: string;
  readonly resource: string;
  /** "" where there is none. */
  readonly namespace: string;
}

export function limitsOf({ rules }: HistoryPolicy, object: RuledObject): HistoryLimits | undefined {
  return rules.find((rule) => matches(rule, object))?.limits;
}

/** The most that any rule keeps: what is kept of objects of which nobody knows for now what they are. */
export function widestLimits({ rules }: HistoryPolicy): HistoryLimits | undefined {
  const all = rules.flatMap(({ limits }) => (limits === undefined ? [] : [limits]));
  if (all.length === 0) return undefined;
  return {
    maxAgeMs: Math.max(...all.map(({ maxAgeMs }) => maxAgeMs)),
    maxStates: Math.max(...all.map(({ maxStates }) => maxStates)),
  };
}

/** Whether there is any namespace in which objects of a resource have a history. */
export function hasHistory({ rules }: HistoryPolicy, { group, resource }: Omit<RuledObject, "namespace">): boolean {
  for (const rule of rules) {
    if (!holds(rule.groups, group) || !holds(rule.resources, resource)) continue;
    if (rule.limits !== undefined) return true;
    if (rule.namespaces.length === 0) return false;
  }
  return false;
}

function matches({ groups, resources, namespaces }: HistoryRule, { group, resource, namespace }: RuledObject): boolean {
  return holds(groups, group) && holds(resources, resource) && holds(namespaces, namespace);
}

const holds = (listed: readonly string[], value: string): boolean => listed.length === 0 || listed.includes(value);

export const usualLimits: HistoryLimits = { maxAgeMs: 7 * 24 * 3600_000, maxStates: 100 };
export const usualBytes = 256 << 20;

const everywhere = { namespaces: [] };

/** All but what changes all the time and says little afterwards. `group` gives the dialect's name of a group. */
export function usualPolicy(group: (short: string) => string): HistoryPolicy {
  return {
    maxBytes: usualBytes,
    rules: [
      { ...everywhere, groups: [group("coordination")], resources: ["leases"], limits: undefined },
      { ...everywhere, groups: ["", group("events")], resources: ["events"], limits: undefined },
      { ...everywhere, groups: [], resources: [], limits: usualLimits },
    ],
  };
}

export const configurationKind = "ObjectHistoryConfiguration";

/** Reads a decoded file of rules; `apiVersion` is the one that it must have. */
export function parseRules(file: unknown, apiVersion: string): Parsed<HistoryPolicy> {
  const problems: string[] = [];
  const tell = (problem: string): void => void problems.push(problem);
  const root = rootTree(file, ["apiVersion", "kind", "rules", "maxBytes"], tell);
  const given = [root.text("apiVersion"), root.text("kind")];
  if (given[0] !== apiVersion || given[1] !== configurationKind)
    tell(`the file must be of kind ${configurationKind}, apiVersion ${apiVersion}`);
  const maxBytes = root.integer("maxBytes") ?? usualBytes;
  if (maxBytes < leastBytes) root.refuse(fieldError.invalid("maxBytes", maxBytes, `must be at least ${leastBytes}`));
  const trees = root.objects("rules", ruleFields);
  if (trees.length === 0) root.refuse(fieldError.required("rules", "without rules nothing has a history"));
  const rules = trees.map(readRule);
  return problems.length === 0 ? { ok: true, value: { rules, maxBytes } } : { ok: false, problems };
}

const leastBytes = 1 << 20;
const mostStates = 1000;
const ruleFields = ["groups", "resources", "namespaces", "maxAge", "maxStates"] as const;

function readRule(tree: Tree<(typeof ruleFields)[number]>): HistoryRule {
  const maxStates = tree.integer("maxStates") ?? usualLimits.maxStates;
  if (maxStates < 0 || maxStates > mostStates)
    tree.refuse(fieldError.invalid(tree.pathOf("maxStates"), maxStates, `must be from 0, for none, to ${mostStates}`));
  const age = tree.duration("maxAge");
  if (tree.has("maxAge") && age.ms <= 0)
    tree.refuse(fieldError.invalid(tree.pathOf("maxAge"), age.text, "must be more than 0"));
  return {
    groups: tree.texts("groups"),
    resources: tree.texts("resources"),
    namespaces: tree.texts("namespaces"),
    limits: maxStates === 0 ? undefined : { maxStates, maxAgeMs: tree.has("maxAge") ? age.ms : usualLimits.maxAgeMs },
  };
}
