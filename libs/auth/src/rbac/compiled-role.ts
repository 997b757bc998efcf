import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import type { Attributes } from "../authorizer.js";

/** The words that a rule names, or every word there is. */
export type Words = ReadonlySet<string> | "every";

export interface ResourceRule {
  readonly verbs: Words;
  readonly groups: Words;
  /** `pods`, `pods/log`; a star before the slash: that subresource of everything. */
  readonly resources: Words;
  /** Undefined: whatever the name. */
  readonly names: ReadonlySet<string> | undefined;
}

export interface PathRule {
  readonly verbs: Words;
  readonly paths: Words;
  /** Of `/healthz/*`: `/healthz/`. */
  readonly prefixes: readonly string[];
}

/** Rules as decisions read them. */
export interface CompiledRole {
  readonly rules: readonly PolicyRule[];
  readonly resources: readonly ResourceRule[];
  readonly paths: readonly PathRule[];
}

export function compileRole(rules: readonly PolicyRule[]): CompiledRole {
  return { rules, resources: rules.flatMap(resourceRule), paths: rules.flatMap(pathRule) };
}

function resourceRule({ verbs, apiGroups, resources = [], resourceNames = [] }: PolicyRule): readonly ResourceRule[] {
  if (resources.length === 0) return [];
  const names = resourceNames.length === 0 ? undefined : new Set(resourceNames);
  return [{ verbs: wordsOf(verbs), groups: wordsOf(apiGroups), resources: wordsOf(resources), names }];
}

function pathRule({ verbs, nonResourceURLs = [] }: PolicyRule): readonly PathRule[] {
  if (nonResourceURLs.length === 0) return [];
  const prefixes = nonResourceURLs.filter((path) => path.endsWith("*")).map(pathPrefix);
  return [{ verbs: wordsOf(verbs), paths: wordsOf(nonResourceURLs), prefixes }];
}

/** Before the stars at the end of a path pattern. */
export function pathPrefix(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === "*") end--;
  return pattern.slice(0, end);
}

export function wordsOf(words: readonly string[] = []): Words {
  return words.includes("*") ? "every" : new Set(words);
}

/** What one request asks of rules. */
export type Asked = AskedResource | AskedPath;

interface AskedResource {
  readonly kind: "resource";
  readonly verb: string;
  readonly group: string;
  /** `pods/log`. */
  readonly resource: string;
  /** A star, a slash and the subresource; `resource` again where no subresource is asked for. */
  readonly ofEverything: string;
  readonly name: string;
}

interface AskedPath {
  readonly kind: "path";
  readonly verb: string;
  readonly path: string;
}

export const has = (words: Words, word: string): boolean => words === "every" || words.has(word);

/** Whether a rule is about what is asked, names left aside. */
export function isAbout(rule: ResourceRule, { verb, group, resource, ofEverything }: AskedResource): boolean {
  const { verbs, groups, resources } = rule;
  return has(verbs, verb) && has(groups, group) && (has(resources, resource) || has(resources, ofEverything));
}

export function allowsPath({ verbs, paths, prefixes }: PathRule, { verb, path }: AskedPath): boolean {
  return has(verbs, verb) && (has(paths, path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

/** Whether one of the rules allows what is asked. */
export function roleAllows({ resources, paths }: CompiledRole, asked: Asked): boolean {
  if (asked.kind === "path") {
    for (const rule of paths) if (allowsPath(rule, asked)) return true;
    return false;
  }
  for (const rule of resources) if (isAbout(rule, asked) && (rule.names?.has(asked.name) ?? true)) return true;
  return false;
}

export function askedOf(attributes: Attributes): Asked {
  const { verb } = attributes;
  if (attributes.kind === "path") return { kind: "path", verb, path: attributes.path };
  const { group, resource, subresource, name } = attributes;
  if (subresource === "") return { kind: "resource", verb, group, resource, ofEverything: resource, name };
  const ofEverything = `*/${subresource}`;
  return { kind: "resource", verb, group, resource: `${resource}/${subresource}`, ofEverything, name };
}
