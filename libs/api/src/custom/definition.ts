import { equalJson } from "@orch/schema/equal.js";
import { type Catalog, type Kind, once } from "../catalog.js";
import type { DefinitionV1 } from "../kinds/apiextensions/types.js";
import type { AnyObject } from "../object.js";
import { decodeObject, fromHub } from "../writes.js";
import { customKinds, type DefinitionSource, isAbandoned } from "./custom-kinds.js";
import { definitionText } from "./definition-text.js";

/** What one CustomResourceDefinition adds to a catalog: a resource, in each of its versions. */
export interface Definition {
  /** `widgets.example.com`. */
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  /** Of the object that says so. */
  readonly revision: number;
  /** What the kinds are made of. */
  readonly source: DefinitionSource;
  /** A kind for each version, served or not. */
  readonly kinds: readonly Kind[];
  /** It is being deleted: no new object may come. */
  readonly isTerminating: boolean;
}

/** The built-in kind of definitions, as it is stored. */
export function definitionKind(catalog: Catalog): Kind {
  const found = catalog.storedKinds().find(({ plural }) => plural === "customresourcedefinitions");
  if (found === undefined) throw new TypeError("the catalog has no CustomResourceDefinition");
  return found;
}

/** Makes definitions of stored objects; `builtIn` has the types that every object is made of. */
export function createDefinitions(builtIn: Catalog): (stored: AnyObject) => Definition | undefined {
  const hub = definitionKind(builtIn);
  const latest = builtIn.find(hub.group, "v1", hub.plural);
  if (latest === undefined) throw new TypeError("the catalog has no CustomResourceDefinition of v1");
  const builtInNames = new Set(builtIn.storedKinds().map((kind) => `${kind.group}/${kind.plural}`));
  return (stored) => {
    const object: DefinitionV1 = fromHub(latest, decodeObject(hub, stored).object);
    const { metadata, spec, status } = object;
    const { group = "" } = spec ?? {};
    const names = status?.acceptedNames ?? {};
    const { plural = "" } = names;
    if (spec === undefined || plural === "" || !isEstablished(object)) return undefined;
    // Built-in resources stay what they are, whatever a definition calls itself.
    if (builtInNames.has(`${group}/${plural}`)) return undefined;
    const revision = Number(metadata.resourceVersion ?? 0);
    const isTerminating = metadata.deletionTimestamp !== undefined;
    const source = { spec, names, since: revision, isTerminating };
    return {
      name: metadata.name ?? "",
      group,
      plural,
      revision,
      source,
      isTerminating,
      kinds: customKinds(source, { builtIn, definition: once(() => definitionText(stored)) }),
    };
  };
}

/** A newer state of a definition; the kinds of the older one where it says the same of them. */
export function succeeding(before: Definition, after: Definition): Definition {
  const isSame =
    equalJson(before.source.spec, after.source.spec) &&
    equalJson(before.source.names, after.source.names) &&
    (before.isTerminating === after.isTerminating || !isAbandoned(after.source));
  return isSame ? { ...after, source: before.source, kinds: before.kinds } : after;
}

/** Whether its names were accepted and it was said to be ready: nothing is served before. */
function isEstablished({ status }: DefinitionV1): boolean {
  return status?.conditions?.some(({ type, status: state }) => type === "Established" && state === "True") ?? false;
}
