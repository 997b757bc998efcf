import type { ApiObject } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { createAbsentOwners } from "../garbage/absent-owners.js";
import { type Examined, examine } from "../garbage/examine.js";
import { createGraph, type Graph, type GraphNode } from "../garbage/graph.js";
import type { LiveObjects, Located } from "../garbage/live.js";
import { orphanDependents } from "../garbage/orphan.js";
import { createOrphaners } from "../garbage/orphaners.js";
import { finalizersOf, foregroundFinalizer, orphanFinalizer } from "../garbage/references.js";

/** How a test names an object: `a/x` is the object x of kind Thing in namespace a, `x` a cluster-wide Root. */
export interface Made {
  /** `a/owner`, `a/owner!` (blocks its deletion), `a/owner#7` (another uid), `a/owner:Other` (another kind). */
  readonly owners?: readonly string[];
  readonly finalizers?: readonly string[];
}

/**
 * A server in memory and a graph that hears of its changes when the test says so. Uids are the names; a Thing has a
 * namespace, a Root has none, the kind Other is served and has no objects, any other kind is unknown.
 */
export interface World {
  readonly graph: Graph;
  /** Stores it; the graph hears of it by `see`. */
  make(name: string, made?: Made): void;
  /** As the server deletes: at once, or when the finalizers of the object and of the propagation are gone. */
  remove(name: string, propagation?: "Foreground" | "Background" | "Orphan"): void;
  dropFinalizer(name: string, finalizer: string): void;
  /** The graph hears what has changed since, in the order of the changes. */
  see(): void;
  /** Looks at one object. */
  examine(name: string): Promise<Examined>;
  /** Sees and works on everything that the graph asks for, until nothing is left to do. */
  settle(): Promise<void>;
  /** Names of what is stored. */
  names(): readonly string[];
  object(name: string): ApiObject | undefined;
  /** What was written: `delete a/x Background@3`, `write a/x`. */
  readonly log: readonly string[];
  /** Dependents that named an owner of another namespace. */
  readonly elsewhere: readonly string[];
  /** Requests of a kind that are to fail once: `delete a/x`. */
  failOnce(request: string, error: ApiError): void;
  /** Somebody else writes an object, so that its version moves on. */
  touch(name: string): void;
}

interface Stored {
  readonly kind: string;
  readonly object: ApiObject;
}

const kinds: Readonly<Record<string, { readonly resource: string; readonly namespaced: boolean }>> = {
  Thing: { resource: "things", namespaced: true },
  Other: { resource: "others", namespaced: true },
  Root: { resource: "roots", namespaced: false },
};

const kindOf = (name: string): string => (name.includes("/") ? "Thing" : "Root");
const partsOf = (name: string): { readonly namespace: string; readonly name: string } => {
  const at = name.indexOf("/");
  return at < 0 ? { namespace: "", name } : { namespace: name.slice(0, at), name: name.slice(at + 1) };
};

/** `a/owner!` → the reference that an object of any namespace has of it. */
function reference(text: string): object {
  const [, path = "", uid, kind, blocks] = /^([^!#:]+)(#[^!:]+)?(:[^!]+)?(!)?$/.exec(text) ?? [];
  return {
    apiVersion: "v1",
    kind: kind?.slice(1) ?? kindOf(path),
    name: partsOf(path).name,
    uid: uid === undefined ? path : uid.slice(1),
    ...(blocks === undefined ? {} : { blockOwnerDeletion: true }),
  };
}

export function createWorld(): World {
  const stored = new Map<string, Stored>();
  const changes: (() => void)[] = [];
  const toExamine = new Set<GraphNode>();
  const toOrphan = new Set<GraphNode>();
  const log: string[] = [];
  const elsewhere: string[] = [];
  const failures = new Map<string, ApiError>();
  const absentOwners = createAbsentOwners();
  const orphaners = createOrphaners();
  let version = 0;

  const graph = createGraph({
    examine: (node) => void toExamine.add(node),
    verify: (node) => void toExamine.add(node),
    examineLater: (node) => void toExamine.add(node),
    orphan: (node) => void toOrphan.add(node),
    absent: absentOwners.add,
    ownerElsewhere: (dependent) => void elsewhere.push(dependent.identity.uid),
  });

  const tell = (name: string, { kind, object }: Stored, gone: boolean): void => {
    const at = { apiVersion: "v1", kind };
    changes.push(() => (gone ? graph.forget(at, object) : graph.observe(at, object)));
    if (gone) stored.delete(name);
    else stored.set(name, { kind, object });
  };
  const put = (name: string, metadata: ApiObject["metadata"]): void => {
    const object = { metadata: { ...metadata, resourceVersion: String(++version) } };
    const ends = metadata["deletionTimestamp"] !== undefined && finalizersOf(object).length === 0;
    tell(name, { kind: kindOf(name), object }, ends);
  };
  const found = (name: string): ApiObject => {
    const object = stored.get(name)?.object;
    if (object === undefined) throw new Error(`no ${name}`);
    return object;
  };
  const remove = (name: string, propagation?: "Foreground" | "Background" | "Orphan"): void => {
    const { metadata } = found(name);
    const present = finalizersOf({ metadata });
    const others = present.filter((f) => f !== orphanFinalizer && f !== foregroundFinalizer);
    const policy =
      propagation === "Foreground" ? [foregroundFinalizer] : propagation === "Orphan" ? [orphanFinalizer] : [];
    const finalizers = propagation === undefined ? present : [...others, ...policy];
    put(name, { ...metadata, finalizers, deletionTimestamp: metadata["deletionTimestamp"] ?? "2026-01-01T00:00:00Z" });
  };

  const nameOf = ({ collection, identity }: Located): string =>
    collection.namespace === undefined ? identity.name : `${collection.namespace}/${identity.name}`;
  const stumble = (request: string): void => {
    const error = failures.get(request);
    failures.delete(request);
    if (error !== undefined) throw error;
  };
  const at = (where: Located): ApiObject | undefined => {
    const found = stored.get(nameOf(where));
    return found !== undefined && kinds[found.kind]?.resource === where.collection.resource ? found.object : undefined;
  };
  const live: LiveObjects = {
    place({ apiVersion, kind }) {
      const known = apiVersion === "v1" ? kinds[kind] : undefined;
      if (known === undefined) return undefined;
      return { collection: { group: "", version: "v1", resource: known.resource }, namespaced: known.namespaced };
    },
    async get(where) {
      stumble(`get ${nameOf(where)}`);
      return at(where);
    },
    async delete(where, { resourceVersion, propagation }) {
      const name = nameOf(where);
      log.push(`delete ${name} ${propagation}${resourceVersion === undefined ? "" : "@version"}`);
      stumble(`delete ${name}`);
      const object = at(where);
      if (object === undefined) throw new ApiError("NotFound", "");
      const sameUid = object.metadata.uid === where.identity.uid;
      const sameVersion = resourceVersion === undefined || object.metadata.resourceVersion === resourceVersion;
      if (!sameUid || !sameVersion) throw new ApiError("Conflict", "");
      remove(name, propagation);
    },
    async changeMetadata(where, change) {
      const name = nameOf(where);
      stumble(`write ${name}`);
      const object = at(where);
      if (object === undefined || object.metadata.uid !== where.identity.uid) return;
      const changed = change(object);
      if (changed === undefined) return;
      log.push(`write ${name}`);
      put(name, { ...object.metadata, ...changed });
    },
  };
  const look = (node: GraphNode): Promise<Examined> =>
    examine({ graph, live, absentOwners, orphaners, examine: (other) => void toExamine.add(other) }, node);
  const see = (): void => {
    for (const change of changes.splice(0)) change();
  };

  return {
    graph,
    log,
    elsewhere,
    make(name, { owners = [], finalizers = [] } = {}) {
      const { namespace, name: short } = partsOf(name);
      const references = owners.length === 0 ? {} : { ownerReferences: owners.map(reference) };
      const place = namespace === "" ? {} : { namespace };
      put(name, { name: short, ...place, uid: name, ...references, finalizers });
    },
    remove,
    dropFinalizer(name, finalizer) {
      const { metadata } = found(name);
      put(name, { ...metadata, finalizers: finalizersOf({ metadata }).filter((f) => f !== finalizer) });
    },
    see,
    async examine(name) {
      const node = graph.node(name);
      if (node === undefined) throw new Error(`the graph has no ${name}`);
      toExamine.delete(node);
      return await look(node);
    },
    async settle() {
      see();
      while (toExamine.size + toOrphan.size > 0) {
        const [orphaner] = toOrphan;
        const [node] = toExamine;
        if (orphaner !== undefined) {
          toOrphan.delete(orphaner);
          await orphanDependents(live, orphaners, orphaner);
        } else if (node !== undefined) {
          toExamine.delete(node);
          await look(node);
        }
        see();
      }
    },
    names: () => [...stored.keys()].sort(),
    object: (name) => stored.get(name)?.object,
    failOnce: (request, error) => void failures.set(request, error),
    touch: (name) => put(name, found(name).metadata),
  };
}
