import type { Naming } from "@orch/naming/naming.js";
import { type Attributes, type Authorizer, allowed, type Decision } from "../authorizer.js";
import { isJsonObject, type JsonObject, parseJsonObject } from "../json.js";
import type { Parsed } from "../parsed.js";
import type { RuleResolver, UserRules } from "../rules.js";
import type { UserInfo } from "../user.js";

/** A line of an ABAC policy file: whoever it is for may do what it names. Empty and absent are the same. */
export interface Policy {
  /** At least one of the two must be there, and all that are must fit; `*` fits everyone. */
  readonly user: string;
  readonly group: string;
  /** Get, list and watch alone. */
  readonly readonly: boolean;
  /** `*` stands for all. An empty namespace is that of what has none. */
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  /** `/metrics`, `/api/*`, `*`. */
  readonly nonResourcePath: string;
}

const empty: Policy = {
  user: "",
  group: "",
  readonly: false,
  apiGroup: "",
  resource: "",
  namespace: "",
  nonResourcePath: "",
};

const specFields = Object.keys(empty);
const legacyFields = ["user", "group", "readonly", "resource", "namespace"];

/**
 * Reads the file of `--authorization-policy-file`: a JSON object a line, empty lines and those that begin with `#`
 * passed over. A line without version and kind is one of the oldest form. Every problem is told with its line; fields
 * that nobody knows are problems, since a misspelt `readonly` would allow writes.
 */
export function parseAbacFile(text: string, naming: Naming): Parsed<readonly Policy[]> {
  const policies: Policy[] = [];
  const problems: string[] = [];
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const policy = parseLine(trimmed, naming);
    if (typeof policy === "string") problems.push(`line ${i + 1}: ${policy}`);
    else policies.push(policy);
  }
  return problems.length === 0 ? { ok: true, value: policies } : { ok: false, problems };
}

/** A policy, or what is wrong with the line. */
function parseLine(line: string, naming: Naming): Policy | string {
  const fields = parseJsonObject(line);
  if (fields === undefined) return "is no JSON object";
  const { apiVersion, kind, ...rest } = fields;
  if (apiVersion === undefined && kind === undefined) {
    const policy = readPolicy(rest, legacyFields);
    return typeof policy === "string" ? policy : fromLegacy(policy, naming);
  }
  if (apiVersion !== naming.abacApiVersion || kind !== "Policy") {
    return `no kind ${JSON.stringify(kind ?? "")} is registered for version ${JSON.stringify(apiVersion ?? "")}; expected Policy of ${naming.abacApiVersion}`;
  }
  const { spec, ...others } = rest;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `unknown field ${JSON.stringify(unknown)}`;
  if (!isJsonObject(spec)) return "spec: Required value";
  return readPolicy(spec, specFields);
}

function readPolicy(fields: JsonObject, known: readonly string[]): Policy | string {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) return `unknown field ${JSON.stringify(unknown)}`;
  const wrong = Object.entries(fields).find(
    ([name, value]) => value !== null && typeof value !== (name === "readonly" ? "boolean" : "string"),
  );
  if (wrong !== undefined) return `${wrong[0]}: must be a ${wrong[0] === "readonly" ? "boolean" : "string"}`;
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === "string" ? value : "";
  };
  return {
    user: text("user"),
    group: text("group"),
    readonly: fields["readonly"] === true,
    apiGroup: text("apiGroup"),
    resource: text("resource"),
    namespace: text("namespace"),
    nonResourcePath: text("nonResourcePath"),
  };
}

/** In the oldest form what is not there stands for all: all who are known, all groups, resources and namespaces. */
function fromLegacy(line: Policy, naming: Naming): Policy {
  const { user, group, resource, namespace } = line;
  const everyone = (user === "" && group === "") || user === "*" || group === "*";
  return {
    ...line,
    ...(everyone ? { user: "", group: naming.authenticatedGroup } : {}),
    apiGroup: "*",
    resource: resource === "" ? "*" : resource,
    namespace: namespace === "" ? "*" : namespace,
    nonResourcePath: resource === "" && namespace === "" ? "*" : "",
  };
}

const unmatched: Decision = { outcome: "noOpinion", reason: "No policy matched." };
const readingVerbs = ["get", "list", "watch"];

/** Allows what one of the policies allows (`--authorization-mode=ABAC`). */
export function abacAuthorizer(policies: readonly Policy[]): Authorizer & RuleResolver {
  return {
    authorize: (attributes) => (policies.some((policy) => allows(policy, attributes)) ? allowed : unmatched),
    rulesFor: (user, namespace) => rulesOf(policies, user, namespace),
  };
}

function allows(policy: Policy, attributes: Attributes): boolean {
  if (!isFor(policy, attributes.user)) return false;
  if (policy.readonly && !readingVerbs.includes(attributes.verb)) return false;
  if (attributes.kind === "path") return pathFits(policy.nonResourcePath, attributes.path);
  const { namespace, resource, group } = attributes;
  return fits(policy.namespace, namespace) && fits(policy.resource, resource) && fits(policy.apiGroup, group);
}

const fits = (pattern: string, value: string): boolean => pattern === "*" || pattern === value;

function pathFits(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, "")));
}

function isFor({ user, group }: Policy, { name, groups }: UserInfo): boolean {
  if (user === "" && group === "") return false;
  if (user !== "" && !fits(user, name)) return false;
  return group === "" || group === "*" || groups.includes(group);
}

function rulesOf(policies: readonly Policy[], user: UserInfo, namespace: string): UserRules {
  const rules = policies
    .filter((policy) => isFor(policy, user) && fits(policy.namespace, namespace))
    .flatMap(({ readonly, apiGroup, resource, nonResourcePath }) => {
      const verbs = readonly ? readingVerbs : ["*"];
      return [
        ...(resource === "" ? [] : [{ verbs, apiGroups: [apiGroup], resources: [resource] }]),
        ...(nonResourcePath === "" ? [] : [{ verbs, nonResourceURLs: [nonResourcePath] }]),
      ];
    });
  return { rules, incomplete: false, evaluationError: "" };
}
