import type { Attributes } from "@orch/auth/authorizer.js";
import type { Level, Stage } from "./event.js";

/** A rule of a policy file: a request matches it if each field that is not empty matches. */
export interface PolicyRule {
  readonly level: Level;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  /** "" stands for what is in no namespace. */
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly Stage[];
  /** The policy's where absent. */
  readonly omitManagedFields: boolean | undefined;
}

export interface GroupResources {
  readonly group: string;
  /** `pods`, `pods/log`, `pods/*`, the same with `*` for the resource, or `*` alone; all where empty. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

/** What is recorded of a request. */
export interface Plan {
  readonly level: Level;
  readonly omitStages: ReadonlySet<Stage>;
  readonly omitManagedFields: boolean;
}

/** What the first rule that matches a request says; level None where none does. The user is unknown where he failed to prove who he is. */
export type PlanOf = (attributes: Attributes) => Plan;

type Matches = (attributes: Attributes) => boolean;

/** Compiles a policy: what can be known of a rule is worked out once, not for every request. */
export function compilePolicy({ rules, omitStages, omitManagedFields }: Policy): PlanOf {
  const compiled = rules.map((rule) => ({
    matches: compileRule(rule),
    plan: {
      level: rule.level,
      omitStages: new Set([...omitStages, ...rule.omitStages]),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    },
  }));
  const otherwise: Plan = { level: "None", omitStages: new Set(omitStages), omitManagedFields };
  return (attributes) => {
    for (const { matches, plan } of compiled) if (matches(attributes)) return plan;
    return otherwise;
  };
}

function compileRule(rule: PolicyRule): Matches {
  const tests: Matches[] = [];
  if (rule.users.length > 0) {
    const users = new Set(rule.users);
    tests.push(({ user }) => users.has(user.name));
  }
  if (rule.userGroups.length > 0) {
    const groups = new Set(rule.userGroups);
    tests.push(({ user }) => user.groups.some((group) => groups.has(group)));
  }
  if (rule.verbs.length > 0) {
    const verbs = new Set(rule.verbs);
    tests.push(({ verb }) => verbs.has(verb));
  }
  if (rule.namespaces.length > 0 || rule.resources.length > 0) tests.push(compileResources(rule));
  else if (rule.nonResourceURLs.length > 0) tests.push(compilePaths(rule.nonResourceURLs));
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (attributes) => tests.every((test) => test(attributes));
}

function compileResources({ namespaces, resources }: PolicyRule): Matches {
  const among = new Set(namespaces);
  const groups = resources.map(compileGroup);
  return (attributes) => {
    if (attributes.kind !== "resource") return false;
    if (among.size > 0 && !among.has(attributes.namespace)) return false;
    return groups.length === 0 || groups.some((matches) => matches(attributes));
  };
}

function compileGroup({ group, resources, resourceNames }: GroupResources): Matches {
  const names = new Set(resourceNames);
  const whole = new Set(resources);
  const parts = new Set(resources.filter((one) => one.startsWith("*/")).map((one) => one.slice(2)));
  const owners = new Set(resources.filter((one) => one.endsWith("/*")).map((one) => one.slice(0, -2)));
  return (attributes) => {
    if (attributes.kind !== "resource" || attributes.group !== group) return false;
    if (whole.size === 0) return true;
    if (names.size > 0 && !names.has(attributes.name)) return false;
    const { resource, subresource } = attributes;
    if (whole.has("*") || owners.has(resource)) return true;
    if (subresource === "") return whole.has(resource);
    return whole.has(`${resource}/${subresource}`) || parts.has(subresource);
  };
}

function compilePaths(urls: readonly string[]): Matches {
  const exact = new Set(urls);
  const prefixes = urls.filter((url) => url.endsWith("*")).map((url) => url.slice(0, -1));
  return (attributes) => {
    if (attributes.kind !== "path") return false;
    const { path } = attributes;
    return exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix));
  };
}
