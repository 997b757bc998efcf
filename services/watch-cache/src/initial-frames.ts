import type { CachedObject } from "./object.js";
import type { Rendition } from "./renditions/rendition.js";

/** ADDED events of neighbours in a first state, made once for all who are told the same at about the same time. */
export interface InitialFrames {
  of(rendition: Rendition, neighbours: readonly CachedObject[]): Buffer;
  /** Somebody is told a first state; gives how to say that this is over, once or more often. */
  begin(): () => void;
}

/** Neighbours whose events go out together. */
export interface Neighbours {
  readonly items: readonly CachedObject[];
  readonly bytes: number;
}

interface Made {
  readonly items: readonly CachedObject[];
  readonly rendition: string;
  readonly frames: Buffer;
}

/** Bytes of a group on average. Twice as many make turns so long that creates beside a crowd lose up to half of their rate. */
const groupBytes = 64 * 1024;
/** Bytes of a group of several objects. */
const mostBytes = 2 * groupBytes;

/** Odd, near 2^32 divided by the golden ratio: revisions beside each other are far apart. */
const scatter = 0x9e3779b1;

/** A state in groups: the same objects are in the same group though others come and go elsewhere. */
export function neighboursOf(items: readonly CachedObject[]): readonly Neighbours[] {
  const groups: Neighbours[] = [];
  let begin = 0;
  let bytes = 0;
  for (const [i, item] of items.entries()) {
    if (i > begin && (bytes + item.size > mostBytes || beginsGroup(item))) {
      groups.push({ items: items.slice(begin, i), bytes });
      begin = i;
      bytes = 0;
    }
    bytes += item.size;
  }
  if (begin < items.length) groups.push({ items: items.slice(begin), bytes });
  return groups;
}

/**
 * Whether an object begins a group wherever it stands, with a chance of its size in a group's: one that comes or goes changes the
 * groups beside it alone.
 */
function beginsGroup({ revision, size }: CachedObject): boolean {
  return ((Math.imul(revision, scatter) >>> 0) / 2 ** 32) * groupBytes < size;
}

/** `after`: runs something later, and gives how not to. */
export function createInitialFrames(
  maxBytes: number,
  after: (ms: number, run: () => void) => () => void,
  keepMs = 10_000,
): InitialFrames {
  /** By the first object of each group, the one that was asked for last behind. */
  const made = new Map<CachedObject, Made>();
  let bytes = 0;
  let told = 0;
  let keep: () => void = () => {};

  const drop = (first: CachedObject): void => {
    bytes -= made.get(first)?.frames.length ?? 0;
    made.delete(first);
  };
  const remember = (first: CachedObject, group: Made): void => {
    drop(first);
    made.set(first, group);
    bytes += group.frames.length;
    for (const oldest of made.keys()) {
      if (bytes <= maxBytes) return;
      drop(oldest);
    }
  };
  return {
    of(rendition, items) {
      const [first] = items;
      if (first === undefined) return Buffer.alloc(0);
      const known = made.get(first);
      if (known !== undefined && known.rendition === rendition.id && areSame(known.items, items)) {
        made.delete(first);
        made.set(first, known);
        return known.frames;
      }
      const frames = Buffer.concat(items.map((item) => rendition.event("ADDED", item, item.revision)));
      // One alone shares them with nobody, and ages of a table are of their moment.
      if (told > 1 && rendition.timeless) remember(first, { items, rendition: rendition.id, frames });
      return frames;
    },
    begin() {
      told++;
      keep();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        told--;
        if (told > 0) return;
        keep = after(keepMs, () => {
          made.clear();
          bytes = 0;
        });
      };
    },
  };
}

function areSame(a: readonly CachedObject[], b: readonly CachedObject[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
