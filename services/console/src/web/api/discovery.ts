import type { Naming } from "@orch/naming/naming.js";
import { isTree, listAt, textAt, textsAt } from "../json.js";
import type { Api } from "./client.js";

/** A kind as discovery tells of it, in the version that its group prefers. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: ReadonlySet<string>;
}

/** All kinds of all groups, the core group first, each in one version. @throws Failure */
export async function discover(api: Api, naming: Naming): Promise<readonly Kind[]> {
  const accept = `application/json;g=${naming.group("apidiscovery")};v=v2;as=APIGroupDiscoveryList`;
  const [core, groups] = await Promise.all(["/api", "/apis"].map((path) => api.get(path, { accept })));
  return [...kindsOf(core), ...kindsOf(groups)];
}

/** The kinds of an APIGroupDiscoveryList; of a kind that a group has in several versions the first, which it prefers. */
export function kindsOf(document: unknown): readonly Kind[] {
  const kinds: Kind[] = [];
  for (const entry of listAt(document, "items")) {
    const group = textAt(entry, "metadata", "name");
    const known = new Set<string>();
    for (const version of listAt(entry, "versions")) {
      for (const resource of listAt(version, "resources")) {
        const plural = textAt(resource, "resource");
        if (known.has(plural)) continue;
        known.add(plural);
        kinds.push(kindOf(resource, { group, version: textAt(version, "version") }));
      }
    }
  }
  return kinds;
}

function kindOf(resource: unknown, { group, version }: { readonly group: string; readonly version: string }): Kind {
  return {
    ...{ group, version },
    plural: textAt(resource, "resource"),
    kind: textAt(resource, "responseKind", "kind"),
    namespaced: textAt(resource, "scope") === "Namespaced",
    verbs: new Set(textsAt(resource, "verbs")),
    shortNames: textsAt(resource, "shortNames"),
    categories: textsAt(resource, "categories"),
    subresources: new Set(
      listAt(resource, "subresources")
        .filter(isTree)
        .map((sub) => textAt(sub, "subresource")),
    ),
  };
}

/** Those that can be listed. */
export const isListed = ({ verbs }: Kind): boolean => verbs.has("list");

/** The kinds that a text may mean, the likeliest first: by short name, by name, by the beginning of one, by a part of it. */
export function searchKinds(kinds: readonly Kind[], text: string): readonly Kind[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return kinds;
  const rankOf = ({ plural, kind, shortNames, group }: Kind): number => {
    if (shortNames.includes(wanted) || plural === wanted) return 0;
    if (plural.startsWith(wanted) || kind.toLowerCase().startsWith(wanted)) return 1;
    if (plural.includes(wanted) || kind.toLowerCase().includes(wanted)) return 2;
    return group.includes(wanted) ? 3 : 4;
  };
  const ranked = kinds.map((kind) => ({ kind, rank: rankOf(kind) })).filter(({ rank }) => rank < 4);
  return ranked.sort((a, b) => a.rank - b.rank).map(({ kind }) => kind);
}
