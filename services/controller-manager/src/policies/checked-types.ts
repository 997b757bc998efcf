import type { MatchResources, ParamKind } from "@orch/api/kinds/admissionregistration/types.js";
import type { ApiResource } from "@orch/client/discovery.js";

/** More kinds than this are not looked at. */
const mostKinds = 10;

/**
 * The served kinds that rules name, against which the expressions of a policy are checked. A rule that says `*` of groups or
 * versions names none; neither do a `*` and subresources among its resources.
 */
export function namedKinds(
  { resourceRules = [] }: MatchResources,
  served: readonly ApiResource[],
): readonly ApiResource[] {
  const isPlain = (word: string): boolean => !word.includes("*") && !word.includes("/");
  const found = new Set<ApiResource>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of resourceRules) {
    if (![...apiGroups, ...apiVersions].every((word) => !word.includes("*"))) continue;
    const plain = new Set(resources.filter(isPlain));
    for (const one of served) {
      const { group, version, resource } = one;
      if (apiGroups.includes(group) && apiVersions.includes(version) && plain.has(resource)) found.add(one);
    }
  }
  return [...found].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)).slice(0, mostKinds);
}

const orderOf = ({ group, version, kind }: ApiResource): string => [group, version, kind].join(" ");

/** The served kind of a policy's parameters. */
export function paramResource(
  { apiVersion = "", kind = "" }: ParamKind,
  served: readonly ApiResource[],
): ApiResource | undefined {
  return served.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
}

const apiVersionOf = ({ group, version }: ApiResource): string => (group === "" ? version : `${group}/${version}`);
