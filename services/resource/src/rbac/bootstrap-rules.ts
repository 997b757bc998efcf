import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";

/** What `wanted` allows and `held` does not, each rule taken apart to one verb of one resource, name or path. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const isHeld = (rule: PolicyRule): boolean => held.some((other) => covers(other, rule));
  return wanted
    .filter((rule) => !isHeld(rule))
    .flatMap(takenApart)
    .filter((single) => !isHeld(single));
}

function takenApart(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const ofNames = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        ofNames.map((names) => ({ verbs: [verb], apiGroups: [group], resources: [resource], ...names })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [path] })));
  return [...ofResources, ...ofPaths];
}

/** Whether a rule allows what one that was taken apart does. */
function covers(
  rule: PolicyRule,
  { verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule,
): boolean {
  return (
    hasAll(rule.verbs, verbs) &&
    hasAll(rule.apiGroups, apiGroups) &&
    (resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    coversNames(rule.resourceNames ?? [], resourceNames ?? []) &&
    (nonResourceURLs ?? []).every((path) => (rule.nonResourceURLs ?? []).some((known) => coversPath(known, path)))
  );
}

function hasAll(words: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return words.includes("*") || wanted.every((word) => words.includes(word));
}

/** `pods/log` is covered by itself, by `*` and by `*` with its subresource. */
function coversResource(resources: readonly string[], wanted: string): boolean {
  if (resources.includes("*") || resources.includes(wanted)) return true;
  const slash = wanted.indexOf("/");
  return slash >= 0 && resources.includes(`*${wanted.slice(slash)}`);
}

/** A rule without names is about all of them. */
function coversNames(names: readonly string[], wanted: readonly string[]): boolean {
  if (names.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => names.includes(name));
}

function coversPath(path: string, wanted: string): boolean {
  return path === wanted || (path.endsWith("*") && wanted.startsWith(path.replace(/\*+$/, "")));
}
