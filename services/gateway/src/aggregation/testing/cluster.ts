import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Collection, Follower, ObjectSource } from "@orch/auth/object-source.js";
import { isObject } from "@orch/schema/descriptor.js";
import type { ApiError } from "@orch/status/api-error.js";
import type { ApiServiceWriter } from "../write.js";

/** The objects of a cluster in memory, with who follows them. */
export interface TestCluster {
  readonly objects: ObjectSource;
  readonly write: ApiServiceWriter;
  /** Of writes, in order: `create v1.a`. */
  readonly writes: string[];
  put(resource: string, object: object): void;
  remove(resource: string, name: string): void;
  get(resource: string, name: string): AnyObject | undefined;
  /** How many follow a resource. */
  followers(resource: string): number;
  /** The next writes fail so. */
  fail: ApiError | undefined;
}

interface Following {
  readonly collection: Collection;
  readonly follower: Follower;
}

export function createTestCluster(): TestCluster {
  const stored = new Map<string, Map<string, AnyObject>>();
  const following = new Set<Following>();
  let revision = 0;

  const allOf = (resource: string): Map<string, AnyObject> => {
    const all = stored.get(resource) ?? new Map<string, AnyObject>();
    stored.set(resource, all);
    return all;
  };
  const isIn = ({ namespace, fieldSelector }: Collection, { metadata }: AnyObject): boolean =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`);
  const tell = (resource: string, object: AnyObject, how: "changed" | "deleted"): void => {
    for (const { collection, follower } of following) {
      if (collection.resource === resource && isIn(collection, object)) follower[how](object);
    }
  };
  const put = (resource: string, object: object): void => {
    const { metadata = {}, ...rest } = Object(object);
    const name = String(metadata.name);
    const resourceVersion = String(++revision);
    const whole = { ...rest, metadata: { uid: `uid-${name}`, ...metadata, resourceVersion } };
    allOf(resource).set(name, whole);
    tell(resource, whole, "changed");
  };
  const remove = (resource: string, name: string): void => {
    const object = allOf(resource).get(name);
    allOf(resource).delete(name);
    if (object !== undefined) tell(resource, object, "deleted");
  };

  const cluster: TestCluster = {
    writes: [],
    fail: undefined,
    put,
    remove,
    get: (resource, name) => allOf(resource).get(name),
    followers: (resource) => [...following].filter(({ collection }) => collection.resource === resource).length,
    objects: {
      get: () => Promise.reject(new TypeError("not asked for here")),
      follow(collection, follower) {
        const one = { collection, follower };
        following.add(one);
        queueMicrotask(() => {
          if (!following.has(one)) return;
          const some = [...allOf(collection.resource).values()].filter((object) => isIn(collection, object));
          follower.replaced(some, revision);
        });
        return { stop: () => void following.delete(one) };
      },
    },
    write: {
      create: async (object) => {
        const { metadata, spec } = Object(object);
        begin(`create ${metadata.name}`);
        put(resource, { metadata, spec });
      },
      merge: async ({ name }, fields) => {
        begin(`merge ${name}`);
        put(resource, { ...merged(allOf(resource).get(name), fields) });
      },
      remove: async ({ name }) => {
        begin(`remove ${name}`);
        remove(resource, name);
      },
      condition: async ({ name }, condition) => {
        begin(`condition ${name} ${condition.reason}`);
        const object = allOf(resource).get(name);
        if (object !== undefined)
          put(resource, { ...object, status: { conditions: [{ type: "Available", ...condition }] } });
      },
    },
  };
  const begin = (what: string): void => {
    cluster.writes.push(what);
    const { fail } = cluster;
    cluster.fail = undefined;
    if (fail !== undefined) throw fail;
  };
  return cluster;
}

const resource = "apiservices";

/** A merge patch, as far as tests need one. */
function merged(object: unknown, fields: unknown): object {
  if (!isObject(fields)) throw new TypeError("no fields");
  const result: Record<string, unknown> = { ...(isObject(object) ? object : {}) };
  for (const [key, value] of Object.entries(fields)) {
    if (value === null) delete result[key];
    else result[key] = isObject(value) ? merged(result[key], value) : value;
  }
  return result;
}

/** The condition of an APIService: `False FailedDiscoveryCheck: why`. */
export function conditionOf({ get }: TestCluster, name: string): string {
  const object = get(resource, name);
  const condition = object === undefined ? undefined : valueAt(object, "status.conditions");
  const [first] = Array.isArray(condition) ? condition : [];
  return first === undefined ? "" : `${first.status} ${first.reason}: ${first.message}`;
}

/** Until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
