import { parseQuantity } from "@orch/schema/formats/quantity.js";
import type { Volume } from "./types.js";

/** Volumes that no claim has, by their class, in the order in which claims take them. */
export interface FreeVolumes {
  /** Puts a volume there as it is now, or takes it out. `storageClass`: empty for none. */
  place(name: string, volume: Volume | undefined, storageClass: string): void;
  /** Names of those of a class that are large enough: the fewest access modes first, then the smallest, then by name. */
  largeEnough(storageClass: string, size: string): Iterable<string>;
}

interface Entry {
  readonly name: string;
  /** Billionths of bytes. */
  readonly size: bigint;
}

/** Sorted by size, then name. */
type Shelf = Entry[];

interface Place {
  readonly storageClass: string;
  readonly modes: number;
  readonly entry: Entry;
}

/**
 * Each class has a shelf for each number of access modes: what is too small is skipped by one search, so a claim looks at
 * few volumes however many there are.
 *
 *     1 mode: 1Gi a, 2Gi b;  2 modes: 1Gi c     2Gi wanted → b;     1Gi wanted → a b c
 */
export function createFreeVolumes(): FreeVolumes {
  const places = new Map<string, Place>();
  const shelves = new Map<string, Shelf[]>();

  const remove = (name: string): void => {
    const place = places.get(name);
    if (place === undefined) return;
    places.delete(name);
    const shelf = shelves.get(place.storageClass)?.[place.modes] ?? [];
    shelf.splice(positionOf(shelf, place.entry), 1);
  };
  return {
    place(name, volume, storageClass) {
      const place = volume === undefined ? undefined : placeOf(name, volume, storageClass);
      if (isSame(places.get(name), place)) return;
      remove(name);
      if (place === undefined) return;
      places.set(name, place);
      const ofClass = shelves.get(storageClass) ?? [];
      shelves.set(storageClass, ofClass);
      while (ofClass.length <= place.modes) ofClass.push([]);
      const shelf = ofClass[place.modes] ?? [];
      shelf.splice(positionOf(shelf, place.entry), 0, place.entry);
    },
    *largeEnough(storageClass, size) {
      const wanted = { size: sizeIn(size), name: "" };
      for (const shelf of shelves.get(storageClass) ?? []) {
        for (let at = positionOf(shelf, wanted); at < shelf.length; at++) yield shelf[at]?.name ?? "";
      }
    },
  };
}

function placeOf(name: string, { spec }: Volume, storageClass: string): Place {
  const entry = { name, size: sizeIn(spec?.capacity?.["storage"] ?? "0") };
  return { storageClass, modes: spec?.accessModes?.length ?? 0, entry };
}

function isSame(a: Place | undefined, b: Place | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.storageClass === b.storageClass && a.modes === b.modes && a.entry.size === b.entry.size;
}

/** Where an entry is in a sorted shelf, or would be put. */
function positionOf(shelf: Shelf, { size, name }: Entry): number {
  let [from, to] = [0, shelf.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const other = shelf[middle];
    const isBefore = other !== undefined && (other.size === size ? other.name < name : other.size < size);
    if (isBefore) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** What is no quantity has no size; the server lets none pass. */
function sizeIn(text: string): bigint {
  const read = parseQuantity(text);
  return typeof read === "string" ? 0n : read.nano;
}
