import type {
  FlowSchemaSpec,
  NonResourceRule,
  PolicyRules,
  ResourceRule,
  Subject,
} from "@orch/api/kinds/flowcontrol/types.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Target } from "@orch/status/target.js";
import type { Route } from "../path.js";

/** What a flow schema stands for; `flow` is what its requests get. */
export interface SchemaEntry<Flow> {
  readonly name: string;
  readonly spec: FlowSchemaSpec;
  readonly flow: Flow;
}

export type Classifier<Flow> = (user: UserInfo, verb: string, route: Route) => Flow;

/** Whether a rule takes the request, its subjects left aside. */
type Takes = (verb: string, route: Route) => boolean;

interface Candidate<Flow> {
  readonly takes: Takes;
  readonly flow: Flow;
}

interface Compiled<Flow> extends Candidate<Flow> {
  readonly isAbout: (user: UserInfo) => boolean;
}

const any = "*";
const everyone = (): boolean => true;

/**
 * The flow of the first schema, by precedence and then by name, that has a rule for the request; `fallback` where
 * none has. The rules that can apply to a user are worked out once; later requests of that user only look into a few sets.
 */
export function createClassifier<Flow>(schemas: readonly SchemaEntry<Flow>[], fallback: Flow): Classifier<Flow> {
  const rules = [...schemas].sort(byPrecedence).flatMap(compiled);
  const ofUser = new WeakMap<UserInfo, readonly Candidate<Flow>[]>();
  return (user, verb, route) => {
    let candidates = ofUser.get(user);
    if (candidates === undefined) {
      candidates = rules.filter((rule) => rule.isAbout(user));
      ofUser.set(user, candidates);
    }
    for (const candidate of candidates) if (candidate.takes(verb, route)) return candidate.flow;
    return fallback;
  };
}

function byPrecedence(a: SchemaEntry<unknown>, b: SchemaEntry<unknown>): number {
  const difference = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0);
  return difference !== 0 ? difference : a.name < b.name ? -1 : 1;
}

function compiled<Flow>({ spec, flow }: SchemaEntry<Flow>): readonly Compiled<Flow>[] {
  return (spec.rules ?? []).map((rule) => ({ isAbout: subjectsOf(rule), takes: takesOf(rule), flow }));
}

function subjectsOf({ subjects = [] }: PolicyRules): (user: UserInfo) => boolean {
  const tests = subjects.map(subjectTest);
  return (user) => tests.some((test) => test(user));
}

function subjectTest({ kind, user, group, serviceAccount }: Subject): (user: UserInfo) => boolean {
  switch (kind) {
    case "User":
      return user?.name === any ? everyone : ({ name }) => name === user?.name;
    case "Group":
      return group?.name === any ? everyone : ({ groups }) => groups.some((name) => name === group?.name);
    default: {
      const prefix = `system:serviceaccount:${serviceAccount?.namespace ?? ""}:`;
      const account = serviceAccount?.name ?? "";
      return account === any ? ({ name }) => name.startsWith(prefix) : ({ name }) => name === prefix + account;
    }
  }
}

function takesOf({ resourceRules = [], nonResourceRules = [] }: PolicyRules): Takes {
  const resources = resourceRules.map(resourceTest);
  const paths = nonResourceRules.map(pathTest);
  return (verb, route) => {
    if (route.type !== "resource") return paths.some((test) => test(verb, route.path));
    return resources.some((test) => test(verb, route.target));
  };
}

/** Membership in a list in which `*` stands for everything. */
function oneOf(list: readonly string[] = []): (value: string) => boolean {
  if (list.includes(any)) return everyone;
  const set = new Set(list);
  return (value) => set.has(value);
}

function resourceTest(rule: ResourceRule): (verb: string, target: Target) => boolean {
  const verbs = oneOf(rule.verbs);
  const groups = oneOf(rule.apiGroups);
  const resources = oneOf(rule.resources);
  const namespaces = oneOf(rule.namespaces);
  const clusterScope = rule.clusterScope === true;
  return (verb, target) => {
    if (!verbs(verb) || !groups(target.group)) return false;
    const namespace = namespaceOf(target);
    if (!(namespace === "" ? clusterScope : namespaces(namespace))) return false;
    return resources(target.subresource === "" ? target.resource : `${target.resource}/${target.subresource}`);
  };
}

/** A namespace itself lies in the namespace of its name. */
export function namespaceOf({ namespace, group, resource, name }: Target): string {
  return namespace === "" && resource === "namespaces" && group === "" ? name : namespace;
}

function pathTest({ verbs: given, nonResourceURLs = [] }: NonResourceRule): (verb: string, path: string) => boolean {
  const verbs = oneOf(given);
  const paths = oneOf(nonResourceURLs);
  const below = nonResourceURLs.flatMap((url) => (url.endsWith("/*") ? [url.slice(0, -1)] : []));
  return (verb, path) => verbs(verb) && (paths(path) || below.some((prefix) => path.startsWith(prefix)));
}
