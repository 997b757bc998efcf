import { readFileSync } from "node:fs";
import type { Parsed } from "@orch/auth/parsed.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { type Level, levels, type Stage, stages } from "./event.js";
import type { GroupResources, Policy, PolicyRule } from "./policy.js";

export interface LoadedPolicy {
  readonly policy: Policy;
  /** What stands in the file and means nothing: the reference takes such a file, and so does this. */
  readonly warnings: readonly string[];
}

/** Reads the file of `--audit-policy-file`. */
export function loadPolicyFile(path: string, naming: Naming): Parsed<LoadedPolicy> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return refused(`failed to read file path ${JSON.stringify(path)}: ${messageOf(error)}`);
  }
  const parsed = parsePolicy(bytes, naming);
  return parsed.ok ? parsed : refused(...parsed.problems.map((why) => `${why}: from file ${path}`));
}

const refused = (...problems: readonly string[]): Parsed<LoadedPolicy> => ({ ok: false, problems });

/** Reads a policy, in YAML or JSON. Problems name the field that they are about. */
export function parsePolicy(bytes: Buffer, naming: Naming): Parsed<LoadedPolicy> {
  const decoded = parseYaml(isBlank(bytes) ? Buffer.from("{}") : bytes);
  if (!decoded.ok) return refused(`failed decoding: ${decoded.problem}`);
  const file = decoded.value ?? {};
  if (!isObject(file)) return refused("failed decoding: couldn't get version/kind; the file must be an object");
  const group = naming.group("audit");
  const { apiVersion = "", kind = "" } = file;
  if (apiVersion === "" || kind === "") return refused(`unknown group version field ${group}, Kind=Policy in policy`);
  if (apiVersion !== `${group}/v1` || kind !== "Policy") {
    const [what, where] = [JSON.stringify(kind), JSON.stringify(apiVersion)];
    return refused(`failed decoding: no kind ${what} is registered for version ${where}`);
  }
  const found: Found = { wrong: [], unknown: [], errors: [] };
  const policy = readPolicy(new Fields(file, "", found));
  const { wrong, errors, unknown } = found;
  if (wrong.length > 0) return refused(`failed decoding: ${wrong.join(", ")}`);
  if (policy.rules.length === 0) return refused("loaded illegal policy with 0 rules");
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  if (texts.length > 0) return refused(texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`);
  const repeated = decoded.duplicates.map((key) => `key ${JSON.stringify(key)} is given twice`);
  return { ok: true, value: { policy, warnings: [...repeated, ...unknown] } };
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte <= 0x20);

interface Found {
  /** Values of another type. */
  readonly wrong: string[];
  /** Fields that mean nothing. */
  readonly unknown: string[];
  readonly errors: FieldError[];
}

/** An object of the file, read field by field; what cannot be read is noted and taken for absent. */
class Fields {
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #at: string;
  readonly found: Found;

  constructor(object: Readonly<Record<string, unknown>>, at: string, found: Found) {
    this.#object = object;
    this.#at = at;
    this.found = found;
  }

  pathOf(name: string): string {
    return this.#at === "" ? name : `${this.#at}.${name}`;
  }

  expect(known: readonly string[]): void {
    for (const name of Object.keys(this.#object)) {
      if (!known.includes(name)) this.found.unknown.push(`unknown field ${JSON.stringify(this.pathOf(name))}`);
    }
  }

  text(name: string): string {
    return this.#textOf(this.pathOf(name), this.#object[name] ?? "");
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((item, i) => this.#textOf(`${this.pathOf(name)}[${i}]`, item));
  }

  flag(name: string): boolean | undefined {
    const value = this.#object[name] ?? undefined;
    if (value === undefined || typeof value === "boolean") return value;
    this.found.wrong.push(`${this.pathOf(name)}: must be true or false`);
    return undefined;
  }

  objects(name: string): readonly Fields[] {
    return this.#list(name).map((item, i) => {
      const at = `${this.pathOf(name)}[${i}]`;
      if (!isObject(item)) this.found.wrong.push(`${at}: must be an object`);
      return new Fields(isObject(item) ? item : {}, at, this.found);
    });
  }

  #textOf(at: string, value: unknown): string {
    if (typeof value === "string") return value;
    this.found.wrong.push(`${at}: must be a string`);
    return "";
  }

  #list(name: string): readonly unknown[] {
    const value = this.#object[name] ?? [];
    if (Array.isArray(value)) return value;
    this.found.wrong.push(`${this.pathOf(name)}: must be a list`);
    return [];
  }
}

const ruleFields = ["level", "users", "userGroups", "verbs", "resources", "namespaces", "nonResourceURLs"];
const sharedFields = ["omitStages", "omitManagedFields"];

function readPolicy(file: Fields): Policy {
  file.expect(["apiVersion", "kind", "metadata", "rules", ...sharedFields]);
  return {
    omitStages: readStages(file),
    omitManagedFields: file.flag("omitManagedFields") ?? false,
    rules: file.objects("rules").map(readRule),
  };
}

function readRule(rule: Fields): PolicyRule {
  rule.expect([...ruleFields, ...sharedFields]);
  const level = readLevel(rule);
  const namespaces = rule.texts("namespaces");
  const resources = rule.objects("resources");
  const nonResourceURLs = readPaths(rule, resources.length > 0 || namespaces.length > 0);
  return {
    level,
    namespaces,
    nonResourceURLs,
    resources: resources.map((group) => readGroup(group, rule)),
    omitStages: readStages(rule),
    users: rule.texts("users"),
    userGroups: rule.texts("userGroups"),
    verbs: rule.texts("verbs"),
    omitManagedFields: rule.flag("omitManagedFields"),
  };
}

function readLevel(rule: Fields): Level {
  const text = rule.text("level");
  const level = levels.find((one) => one === text);
  const at = rule.pathOf("level");
  if (text === "") rule.found.errors.push(fieldError.required(at));
  else if (level === undefined) rule.found.errors.push(fieldError.notSupported(at, text, levels));
  return level ?? "None";
}

function readPaths(rule: Fields, namesResources: boolean): readonly string[] {
  const { errors } = rule.found;
  const urls = rule.texts("nonResourceURLs");
  const at = rule.pathOf("nonResourceURLs");
  if (urls.length > 0 && namesResources) {
    errors.push(fieldError.invalid(at, urls, "rules cannot apply to both regular resources and non-resource URLs"));
  }
  for (const [i, url] of urls.entries()) {
    if (url === "*") continue;
    const refuse = (why: string): void => void errors.push(fieldError.invalid(`${at}[${i}]`, url, why));
    if (!url.startsWith("/")) refuse("non-resource URL rules must begin with a '/' character");
    if (url.slice(0, -1).includes("*")) {
      refuse("non-resource URL wildcards '*' must be the final character of the rule");
    }
  }
  return urls;
}

/** Errors name the list of groups, not the one among them: the reference does. */
function readGroup(group: Fields, rule: Fields): GroupResources {
  group.expect(["group", "resources", "resourceNames"]);
  const { errors } = group.found;
  const at = rule.pathOf("resources");
  const name = group.text("group");
  const resources = group.texts("resources");
  const resourceNames = group.texts("resourceNames");
  const problems = name === "" ? [] : dnsSubdomain(name);
  if (problems.length > 0) errors.push(fieldError.invalid(`${at}.group`, name, problems.join(",")));
  if (resourceNames.length > 0 && resources.length === 0) {
    const why = "using resourceNames requires at least one resource";
    errors.push(fieldError.invalid(`${at}.resourceNames`, resourceNames, why));
  }
  return { group: name, resources, resourceNames };
}

function readStages(owner: Fields): readonly Stage[] {
  return owner.texts("omitStages").flatMap((text, i) => {
    const stage = stages.find((one) => one === text);
    if (stage !== undefined) return [stage];
    const at = `${owner.pathOf("omitStages")}[${i}]`;
    owner.found.errors.push(fieldError.invalid(at, text, `allowed stages are ${stages.join(",")}`));
    return [];
  });
}
