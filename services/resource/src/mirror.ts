import { storeSource } from "@orch/access/store-source.js";
import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/runtime/clock.js";
import type { Store } from "@orch/store/store.js";

/** The objects of one kind as they are stored, in memory: a moment behind the store. */
export interface Mirror {
  readonly loaded: boolean;
  /** Follows the store until the returned function is called. */
  start(): () => void;
  /** Undefined also for what the mirror has not heard of yet. */
  find(namespace: string, name: string): AnyObject | undefined;
  /** In the order of their names; of cluster-scoped kinds the namespace is empty. */
  inNamespace(namespace: string): readonly AnyObject[];
}

export interface MirrorDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly log: (what: string, error: unknown) => void;
}

/** The same list for as long as nothing is there: who asks sees by it whether anything has changed. */
const none: readonly AnyObject[] = [];

/** Few objects that many writes depend on: what is configured for a cluster or a namespace. */
export function createMirror(kind: Kind, deps: MirrorDeps): Mirror {
  const namespaces = new Map<string, Map<string, AnyObject>>();
  // Sorted when it is asked for: changes are rare.
  const sorted = new Map<string, readonly AnyObject[]>();
  let loaded = false;

  const put = (object: AnyObject): void => {
    const { namespace = "", name = "" } = object.metadata;
    const objects = namespaces.get(namespace) ?? new Map<string, AnyObject>();
    namespaces.set(namespace, objects.set(name, object));
    sorted.delete(namespace);
  };
  const drop = ({ metadata: { namespace = "", name = "" } }: AnyObject): void => {
    const objects = namespaces.get(namespace);
    objects?.delete(name);
    if (objects?.size === 0) namespaces.delete(namespace);
    sorted.delete(namespace);
  };

  return {
    get loaded() {
      return loaded;
    },
    start() {
      const { group, version, plural: resource } = kind;
      const following = storeSource({ ...deps, clock: systemClock }).follow(
        { group, version, resource },
        {
          replaced(objects) {
            namespaces.clear();
            sorted.clear();
            for (const object of objects) put(object);
            loaded = true;
          },
          changed: put,
          deleted: drop,
        },
      );
      return following.stop;
    },
    find: (namespace, name) => namespaces.get(namespace)?.get(name),
    inNamespace(namespace) {
      const objects = namespaces.get(namespace);
      if (objects === undefined) return none;
      const known = sorted.get(namespace) ?? [...objects.entries()].sort(byName).map(([, object]) => object);
      sorted.set(namespace, known);
      return known;
    },
  };
}

/** What mirrors hold at a moment of no namespace and of one, by {@link nameOf}: plain data, for a thread. */
export type Mirrored = ReadonlyMap<string, { readonly global: Objects; readonly local: Objects; readonly in: string }>;

type Objects = readonly AnyObject[];

const nameOf = ({ apiVersion, plural }: Kind): string => `${apiVersion}/${plural}`;

/** Mirrors that stand still, for one write. */
export function mirrorsOf(mirrored: Mirrored): (kind: Kind) => Mirror {
  return (kind) => {
    const held = mirrored.get(nameOf(kind));
    const inNamespace = (namespace: string): Objects => {
      if (held === undefined) return [];
      if (namespace === "") return held.global;
      return namespace === held.in ? held.local : [];
    };
    return {
      loaded: true,
      start: () => () => {},
      find: (namespace, name) => inNamespace(namespace).find(({ metadata }) => metadata.name === name),
      inNamespace,
    };
  };
}

/** The mirrors that a service keeps, one for each kind that is asked for. */
export interface Mirrors {
  of(kind: Kind): Mirror;
  /** What a write of this namespace may ask them. */
  at(namespace: string): Mirrored;
  /** Follows the store until the signal. */
  start(signal: AbortSignal): void;
  readonly loaded: boolean;
}

export function createMirrors(deps: MirrorDeps): Mirrors {
  const mirrors = new Map<Kind, Mirror>();
  return {
    of(kind) {
      const mirror = mirrors.get(kind) ?? createMirror(kind, deps);
      mirrors.set(kind, mirror);
      return mirror;
    },
    at: (namespace) =>
      new Map(
        [...mirrors].map(([kind, mirror]) => [
          nameOf(kind),
          { global: globalOf(kind, mirror, namespace), local: mirror.inNamespace(namespace), in: namespace },
        ]),
      ),
    start(signal) {
      const stops = [...mirrors.values()].map((mirror) => mirror.start());
      const stopAll = (): void => {
        for (const stop of stops) stop();
      };
      signal.addEventListener("abort", stopAll, { once: true });
    },
    get loaded() {
      return [...mirrors.values()].every((mirror) => mirror.loaded);
    },
  };
}

/** There may be very many namespaces, of which a write needs its own alone. */
function globalOf({ group, kind }: Kind, mirror: Mirror, namespace: string): Objects {
  if (group !== "" || kind !== "Namespace") return mirror.inNamespace("");
  const own = mirror.find("", namespace);
  return own === undefined ? [] : [own];
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
