import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { type CountedResource, countName, isCounted } from "@orch/api/quota/evaluators.js";
import { resourceOfName } from "@orch/api/quota/resource-of-name.js";
import type { ResourceQuota } from "@orch/api/quota/types.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";

/** Which quotas are about what: there may be one in each of very many namespaces. */
export interface QuotaIndex {
  put(quota: ApiObject): void;
  drop(quota: ApiObject): void;
  /** Keys of the quotas of a namespace that are about objects of a resource. */
  concerned(namespace: string, resource: CountedResource): readonly string[];
  /** Whether any quota is about a resource, by its {@link countName}. */
  isWanted(name: string): boolean;
}

export function createQuotaIndex(naming: Naming): QuotaIndex {
  const namespaces = new Map<string, Map<string, ReadonlySet<string>>>();
  const wanted = new Map<string, number>();
  const want = (names: Iterable<string>, more: number): void => {
    for (const name of names) {
      const count = (wanted.get(name) ?? 0) + more;
      if (count === 0) wanted.delete(name);
      else wanted.set(name, count);
    }
  };
  const drop = (quota: ApiObject): void => {
    const { namespace = "" } = quota.metadata;
    const quotas = namespaces.get(namespace);
    want(quotas?.get(keyOf(quota)) ?? [], -1);
    quotas?.delete(keyOf(quota));
    if (quotas?.size === 0) namespaces.delete(namespace);
  };
  return {
    drop,
    put(quota) {
      drop(quota);
      const { namespace = "" } = quota.metadata;
      const names = new Set(resourcesOf(withMetadata(quota), naming).map(countName));
      want(names, 1);
      namespaces.set(namespace, (namespaces.get(namespace) ?? new Map()).set(keyOf(quota), names));
    },
    concerned(namespace, resource) {
      const name = countName(resource);
      return [...(namespaces.get(namespace) ?? [])].flatMap(([key, names]) => (names.has(name) ? key : []));
    },
    isWanted: (name) => wanted.has(name),
  };
}

/** Whose objects a quota is about, each once. */
export function resourcesOf(object: AnyObject, naming: Naming): readonly CountedResource[] {
  const { spec }: ResourceQuota = object;
  const names = Object.keys(spec?.hard ?? {});
  const all = names.map((each) => resourceOfName(each, naming)).filter((each) => isCounted(each, naming));
  return [...new Map(all.map((each) => [countName(each), each])).values()];
}
