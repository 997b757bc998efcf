import type { Catalog, Kind } from "../catalog.js";
import type { AnyObject } from "../object.js";
import { createDefinitions, type Definition, succeeding } from "./definition.js";
import { type CustomGroup, customGroup, withDefinitions } from "./with-definitions.js";

/** The catalog in force. A request keeps the value with which it began. */
export interface CatalogHolder {
  /** The kinds that are always there. */
  readonly builtIn: Catalog;
  readonly now: Catalog;
}

/** What became of a definition: before and after, undefined where it was not or is no more. */
export interface DefinitionChange {
  readonly before: Definition | undefined;
  readonly after: Definition | undefined;
}

/** The kinds of which a definition says something else now; those of versions that stay the same too. */
export function kindsGone({ before }: DefinitionChange): readonly Kind[] {
  return before?.kinds ?? [];
}

/** Tells which kinds are stored, now and with every change. */
export function tellStoredKinds(
  catalog: LiveCatalog,
  told: { know(kinds: readonly Kind[]): void; forget(kinds: readonly Kind[]): void },
): void {
  const hubs = (kinds: readonly Kind[] = []): readonly Kind[] => kinds.filter((kind) => kind.stored === kind);
  told.know(catalog.now.storedKinds());
  catalog.onChange(({ before, after }) => {
    told.forget(hubs(before?.kinds));
    told.know(hubs(after?.kinds));
  });
}

/**
 * A catalog whose kinds come and go. One follower tells it what the store has, in the order of revisions; everybody else may
 * add what they read themselves, which counts where it is newer.
 */
export interface LiveCatalog extends CatalogHolder {
  /** All definitions that are stored at a revision, as objects of the stored version. */
  replaced(definitions: readonly AnyObject[], revision: number): void;
  changed(definition: AnyObject): void;
  deleted(name: string, revision: number): void;
  /** A definition that was read besides, perhaps before the follower has come to it. */
  learned(definition: AnyObject): void;
  /** Settles when it has the definitions of a moment. */
  readonly loaded: Promise<void>;
  /** Called after each change, when `now` has it already. */
  onChange(run: (change: DefinitionChange) => void): void;
}

export function createLiveCatalog(builtIn: Catalog): LiveCatalog {
  const definitionOf = createDefinitions(builtIn);
  /** By their objects' names. */
  const byName = new Map<string, Definition>();
  const listeners = new Set<(change: DefinitionChange) => void>();
  let groups: ReadonlyMap<string, CustomGroup> = new Map();
  /** Groups in which something changed since `catalog` was made. */
  const stale = new Set<string>();
  let catalog = builtIn;
  let settle = (): void => {};
  const loaded = new Promise<void>((resolve) => {
    settle = resolve;
  });
  /** The follower has told everything up to here. */
  let followed = 0;

  const set = (name: string, told: Definition | undefined): void => {
    const before = byName.get(name);
    if (before === undefined && told === undefined) return;
    const after = before === undefined || told === undefined ? told : succeeding(before, told);
    if (after === undefined) byName.delete(name);
    else byName.set(name, after);
    // Only its status moved: every kind is what it was.
    const same = before !== undefined && before.kinds === after?.kinds;
    if (same && before.isTerminating === after.isTerminating) return;
    for (const one of [before, after]) if (one !== undefined) stale.add(one.group);
    if (same) return;
    for (const run of listeners) run({ before, after });
  };
  const put = (object: AnyObject): void => {
    const { name = "", resourceVersion = "0" } = object.metadata;
    if ((byName.get(name)?.revision ?? -1) >= Number(resourceVersion)) return;
    set(name, definitionOf(object));
  };

  return {
    builtIn,
    loaded,
    get now() {
      if (stale.size > 0) {
        groups = remade(groups, stale, byName.values());
        stale.clear();
        catalog = withDefinitions(builtIn, { version: catalog.version + 1, groups });
      }
      return catalog;
    },
    replaced(objects, revision) {
      followed = revision;
      const names = new Set(objects.map(({ metadata }) => metadata.name ?? ""));
      for (const name of [...byName.keys()]) if (!names.has(name)) set(name, undefined);
      for (const object of objects) put(object);
      settle();
    },
    changed(object) {
      followed = Math.max(followed, Number(object.metadata.resourceVersion ?? 0));
      put(object);
    },
    deleted(name, revision) {
      followed = Math.max(followed, revision);
      set(name, undefined);
    },
    learned(object) {
      // What the follower has passed it has told; what is older may be deleted by now.
      if (Number(object.metadata.resourceVersion ?? 0) > followed) put(object);
    },
    onChange: (run) => void listeners.add(run),
  };
}

/** The groups with those that are stale made anew, and none that has no definition left. */
function remade(
  groups: ReadonlyMap<string, CustomGroup>,
  stale: ReadonlySet<string>,
  definitions: Iterable<Definition>,
): ReadonlyMap<string, CustomGroup> {
  const fresh = new Map<string, Map<string, Definition>>();
  for (const definition of definitions) {
    if (!stale.has(definition.group)) continue;
    const group = fresh.get(definition.group) ?? new Map<string, Definition>();
    fresh.set(definition.group, group.set(definition.plural, definition));
  }
  const result = new Map(groups);
  for (const name of stale) {
    const own = fresh.get(name);
    if (own === undefined) result.delete(name);
    else result.set(name, customGroup(name, own));
  }
  return result;
}
