import type { ResourceName } from "@orch/status/api-error.js";
import type { Catalog, Kind } from "./catalog.js";

const names = new WeakMap<Kind, ResourceName>();

/**
 * The resource whose object stands at a store key without the root: `services/specs/ns/name` → services. A kind that is not
 * known, or not yet, is told by its keys' shape: `<group>/<plural>/…`, a group with a dot. Undefined for keys of no object.
 * One value for each kind, always the same.
 */
export function storedResource(catalog: Pick<Catalog, "storedAt">, remainder: string): ResourceName | undefined {
  const first = remainder.indexOf("/");
  if (first < 0) return undefined;
  const short = catalog.storedAt(remainder.slice(0, first));
  if (short !== undefined) return nameOf(short);
  const second = remainder.indexOf("/", first + 1);
  if (second < 0) return undefined;
  const long = catalog.storedAt(remainder.slice(0, second));
  if (long !== undefined) return nameOf(long);
  const group = remainder.slice(0, first);
  return group.includes(".") ? { group, resource: remainder.slice(first + 1, second) } : undefined;
}

function nameOf(kind: Kind): ResourceName {
  const known = names.get(kind);
  if (known !== undefined) return known;
  // Events are stored as those of the core group, whichever group they are asked of.
  const group = kind.storage.prefix === "events" ? "" : kind.group;
  const name: ResourceName = { group, resource: kind.plural };
  names.set(kind, name);
  return name;
}
