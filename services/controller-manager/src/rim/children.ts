import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Expectations } from "./expectations.js";
import type { Informer, InformerHandlers } from "./informers.js";
import { controllerOf, isGoing, type Kind, type Meta } from "./objects.js";
import type { Owners } from "./reconciler.js";
import { compileSelectorOnce, type LabelSelector } from "./selection.js";

/** How changes of children lead to owners. */
export interface ChildrenOptions {
  readonly kind: Kind;
  /** The owners. */
  readonly informer: Informer;
  readonly owners: Owners;
  readonly expectations?: Expectations;
  /** Which children an owner would adopt. */
  readonly selectorOf: (owner: ApiObject) => LabelSelector | undefined;
  /** Told of a change of an owner's child, for what comes of it later: a time after which to look again. */
  readonly changed?: (key: string, child: ApiObject, before: ApiObject | undefined) => void;
}

/** Adds the owner of what changes: who manages it, and of an orphan everybody who selects it. */
export function childHandlers(options: ChildrenOptions): InformerHandlers {
  const { informer, kind, owners, expectations, selectorOf } = options;
  const ownerKey = (child: ApiObject): string | undefined => {
    const reference = controllerOf(child);
    if (reference === undefined || reference.kind !== kind.kind) return undefined;
    const key = `${child.metadata.namespace ?? ""}/${reference.name ?? ""}`;
    return informer.store.get(key)?.metadata.uid === reference.uid ? key : undefined;
  };
  const tellSelecting = (orphan: ApiObject): void => {
    for (const owner of informer.inNamespace(orphan.metadata.namespace ?? "")) {
      if (compileSelectorOnce(selectorOf(owner))?.matches(orphan.metadata.labels) === true) owners.add(keyOf(owner));
    }
  };
  const gone = (child: ApiObject): void => {
    const key = ownerKey(child);
    if (key === undefined) return;
    expectations?.deletionSeen(key, child.metadata.uid ?? "");
    owners.add(key);
    options.changed?.(key, child, undefined);
  };
  return {
    added(child) {
      // One that goes already stands in the list of a process that has just begun.
      if (isGoing(child)) return gone(child);
      const key = ownerKey(child);
      if (key !== undefined) {
        expectations?.creationSeen(key);
        owners.add(key);
        options.changed?.(key, child, undefined);
      } else if (controllerOf(child) === undefined) tellSelecting(child);
    },
    modified(child, before) {
      const key = ownerKey(child);
      const oldKey = ownerKey(before);
      if (oldKey !== undefined && oldKey !== key) owners.add(oldKey);
      if (key !== undefined) {
        if (isGoing(child)) expectations?.deletionSeen(key, child.metadata.uid ?? "");
        owners.add(key);
        options.changed?.(key, child, before);
        return;
      }
      if (controllerOf(child) !== undefined || isGoing(child)) return;
      const hasChanged = controllerOf(before) !== undefined || !sameLabels(child.metadata, before.metadata);
      if (hasChanged) tellSelecting(child);
    },
    deleted: gone,
  };
}

function sameLabels({ labels: a = {} }: Meta, { labels: b = {} }: Meta): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Owners are looked at whenever they change; `forget` those that are gone. */
export function ownerHandlers(owners: Owners, forget: (key: string, owner: ApiObject) => void): InformerHandlers {
  const look = (owner: ApiObject): void => owners.add(keyOf(owner));
  return {
    added: look,
    modified(owner, before) {
      // Under the old name there is another one by now: what was expected of its predecessor will never come.
      if (owner.metadata.uid !== before.metadata.uid) forget(keyOf(owner), before);
      look(owner);
    },
    deleted(owner) {
      forget(keyOf(owner), owner);
      look(owner);
    },
  };
}
