import type { Row } from "./table.js";

/** What is to become of a row: its new state, or undefined where it is gone. */
export type RowChange = { readonly key: string; readonly row: Row | undefined };

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : 0;

export function sortRows(rows: readonly Row[]): readonly Row[] {
  const isSorted = rows.every((row, index) => index === 0 || byKey(rows[index - 1] ?? row, row) <= 0);
  return isSorted ? rows : [...rows].sort(byKey);
}

/**
 * Rows in the order of their keys with changes merged in: one walk over both, however many changes come at once. The last of
 * several changes of a row holds. Rows that do not change stay the same values.
 *
 * ```
 * [a b d] + put c, delete a, put b'   →   [b' c d]
 * ```
 */
export function patchRows(rows: readonly Row[], changes: readonly RowChange[]): readonly Row[] {
  if (changes.length === 0) return rows;
  const last = new Map(changes.map((change) => [change.key, change]));
  const sorted = [...last.values()].sort(byKey);
  const merged: Row[] = [];
  let at = 0;
  for (const { key, row } of sorted) {
    for (let next = rows[at]; next !== undefined && next.key < key; next = rows[at]) {
      merged.push(next);
      at++;
    }
    if (rows[at]?.key === key) at++;
    if (row !== undefined) merged.push(row);
  }
  for (; at < rows.length; at++) {
    const rest = rows[at];
    if (rest !== undefined) merged.push(rest);
  }
  return merged;
}
