import { type Damage, noObject } from "@orch/store/damaged-entry.js";
import type { Key } from "@orch/store/revision.js";
import { createSlabs } from "@orch/store/slabs.js";
import type { Range } from "@orch/store/store.js";
import type { CachedObject } from "../object.js";
import { objectAt, type Place } from "../readable.js";

/** The objects of a load, page by page; the pages' memory is not kept. */
export interface Intake {
  add(page: Range): void;
  readonly objects: ReadonlyMap<string, readonly CachedObject[]>;
  /** What is stored and cannot be read. */
  readonly damaged: readonly Damage[];
}

/**
 * Objects that are loaded together share memory by the dozen, neighbours by key. An object that changes gets its own; at the worst
 * one that stays keeps this much.
 */
const slabBytes = 16 * 1024;

export function createIntake(place: (key: Key) => Place | undefined): Intake {
  const objects = new Map<string, CachedObject[]>();
  const damaged: Damage[] = [];
  const allocate = createSlabs(slabBytes);
  return {
    objects,
    damaged,
    add(page) {
      for (const entry of page.entries) {
        const where = place(entry.key);
        if (where === undefined) continue;
        const object = objectAt(where, entry, allocate);
        if (object === undefined) {
          damaged.push(noObject(entry));
          continue;
        }
        const neighbours = objects.get(where.storagePrefix);
        if (neighbours === undefined) objects.set(where.storagePrefix, [object]);
        else neighbours.push(object);
      }
      for (const damage of page.damaged ?? []) damaged.push(damage);
    },
  };
}
