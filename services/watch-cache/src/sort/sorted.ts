import { hash } from "node:crypto";
import type { Pacer } from "@orch/rpc/pacer.js";
import { badRequest } from "@orch/status/api-error.js";
import { LRUCache } from "lru-cache";
import type { CachedObject } from "../object.js";
import type { Row, SortOrder } from "./sort-order.js";

/** Lists in an order that a client asked for, made in turns of the event loop. */
export interface Sorted {
  /**
   * The items as rows in order. `id` is equal for equal selections of one collection: pages that follow find what was sorted
   * for the first. @throws ApiError BadRequest for more items than are sorted
   */
  of(id: string, items: readonly CachedObject[], order: SortOrder): Promise<readonly Row[]>;
  /** The store's history began anew. */
  forget(): void;
}

/** Items of one list; more are refused. */
export const mostSorted = 100_000;
/** Bytes of lists that are kept sorted, for as long as somebody asks for their pages. */
const mostKept = 64 * 1024 * 1024;
/** What is kept of a list, of a row, of a value in it and of a character, about. */
const bytesKept = { list: 1024, row: 96, value: 64, unit: 2 };
const keepMs = 30_000;
/** Rows that are looked at in one turn. */
const rowsOfTurn = 512;
/** What comparing a row takes, in bytes that are read meanwhile. */
const bytesOfRow = 256;

interface Kept {
  readonly items: readonly CachedObject[];
  readonly rows: readonly Row[];
}

export function createSorted(pacer: Pacer): Sorted {
  const kept = new LRUCache<string, Kept>({
    maxSize: mostKept,
    sizeCalculation: keptBytes,
    ttl: keepMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });
  const turn = (bytes: number): Promise<void> => {
    pacer.spent(bytes);
    return new Promise((resolve) => pacer.next(resolve));
  };
  return {
    async of(id, items, order) {
      if (items.length > mostSorted) {
        throw badRequest(`a sorted list may have at most ${mostSorted} objects, not ${items.length}: select fewer`);
      }
      // Selectors may be as long as a client likes.
      const key = hash("sha256", `${id}|${order.id}`, "base64url");
      const known = kept.get(key);
      if (known !== undefined && sameItems(known.items, items)) return known.rows;
      const rows = await merged(await runsOf(items, order, turn), order, turn);
      kept.set(key, { items, rows });
      return rows;
    },
    forget: () => kept.clear(),
  };
}

function keptBytes({ rows }: Kept): number {
  let bytes = bytesKept.list + rows.length * bytesKept.row;
  for (const { values } of rows) {
    bytes += values.length * bytesKept.value;
    for (const value of values) if (value?.rank === 3) bytes += value.at.length * bytesKept.unit;
  }
  return bytes;
}

type Turn = (bytes: number) => Promise<void>;

/** Short sorted lists that have all items together. */
async function runsOf(
  items: readonly CachedObject[],
  order: SortOrder,
  turn: Turn,
): Promise<readonly (readonly Row[])[]> {
  const runs: Row[][] = [];
  for (let at = 0; at < items.length; at += rowsOfTurn) {
    const run: Row[] = [];
    let bytes = 0;
    for (const item of items.slice(at, at + rowsOfTurn)) {
      run.push(order.row(item));
      bytes += item.size;
      if (bytes < mostBytes) continue;
      await turn(bytes);
      bytes = 0;
    }
    run.sort(order.compare);
    runs.push(run);
    await turn(bytes + run.length * bytesOfRow);
  }
  return runs;
}

/** Read in one turn. */
const mostBytes = 128 * 1024;

async function merged(runs: readonly (readonly Row[])[], order: SortOrder, turn: Turn): Promise<readonly Row[]> {
  let left = runs;
  while (left.length > 1) {
    const next: (readonly Row[])[] = [];
    for (let i = 0; i < left.length; i += 2) {
      next.push(await mergedPair(left[i] ?? [], left[i + 1] ?? [], { order, turn }));
    }
    left = next;
  }
  return left[0] ?? [];
}

async function mergedPair(
  a: readonly Row[],
  b: readonly Row[],
  { order, turn }: { readonly order: SortOrder; readonly turn: Turn },
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [left, right] = [a[i], b[j]];
    if (left === undefined) return rows.concat(b.slice(j));
    if (right === undefined) return rows.concat(a.slice(i));
    if (order.compare(left, right) < 0) {
      rows.push(left);
      i++;
    } else {
      rows.push(right);
      j++;
    }
    if (rows.length % (4 * rowsOfTurn) === 0) await turn(rowsOfTurn * bytesOfRow);
  }
}

/** The first position whose row comes behind this one. */
export function positionBehind(rows: readonly Row[], row: Row, { compare }: SortOrder): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = rows[middle];
    if (at !== undefined && (at.object.key === row.object.key || compare(at, row) < 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sameItems(before: readonly CachedObject[], now: readonly CachedObject[]): boolean {
  if (before.length !== now.length) return false;
  for (let i = 0; i < now.length; i++) if (before[i] !== now[i]) return false;
  return true;
}
