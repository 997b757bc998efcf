import type { Column, Row } from "../api/table.js";

export interface Sorting {
  /** A column's name; `""` is the order of the server. */
  readonly by: string;
  readonly descending: boolean;
}

/** The rows that hold every word of a search, in the wanted order. */
export function arrange(
  rows: readonly Row[],
  {
    columns,
    search,
    sorting,
  }: { readonly columns: readonly Column[]; readonly search: string; readonly sorting: Sorting },
): readonly Row[] {
  const words = search
    .toLowerCase()
    .split(" ")
    .filter((word) => word !== "");
  const found = words.length === 0 ? rows : rows.filter(({ text }) => words.every((word) => text.includes(word)));
  if (sorting.by === "") return found;
  const ordered = [...found].sort(order(columns, sorting.by));
  return sorting.descending ? ordered.reverse() : ordered;
}

function order(columns: readonly Column[], by: string): (a: Row, b: Row) => number {
  if (by === "Age") return (a, b) => b.created - a.created;
  if (by === "Namespace") return (a, b) => compare(a.namespace, b.namespace);
  const position = columns.find(({ name }) => name === by)?.position ?? 0;
  return (a, b) => compareCells(a.cells[position] ?? "", b.cells[position] ?? "");
}

/** Numbers by their value, wherever both begin with one. */
function compareCells(a: string, b: string): number {
  const [x, y] = [Number.parseFloat(a), Number.parseFloat(b)];
  return Number.isNaN(x) || Number.isNaN(y) || x === y ? compare(a, b) : x - y;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
