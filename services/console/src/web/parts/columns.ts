import type { Column, Row } from "../api/table.js";

/** So many rows tell how wide a column is. */
const measured = 300;

/**
 * Widths of columns as a template of CSS grid, in characters: a name gets what it needs first, a column whose cells are short is no
 * wider than they are.
 */
export function columnTemplate(
  columns: readonly Column[],
  rows: readonly Row[],
  { showsNamespace }: { readonly showsNamespace: boolean },
): string {
  const some = rows.slice(0, measured);
  const longest = (cells: (row: Row) => string, heading: string): number =>
    some.reduce((most, row) => Math.max(most, cells(row).length), heading.length + 2);
  const widths = columns.map(({ name, position }) => {
    const needed = longest((row) => row.cells[position] ?? "", name);
    if (name === "Name") return `minmax(${clamp(needed, 14, 34)}ch, ${clamp(needed, 14, 48)}fr)`;
    return `minmax(${clamp(needed, 6, 12)}ch, ${clamp(needed, 6, 60)}fr)`;
  });
  const namespace = showsNamespace
    ? [
        `minmax(10ch, ${clamp(
          longest((row) => row.namespace, "Namespace"),
          11,
          24,
        )}fr)`,
      ]
    : [];
  return [...namespace, ...widths].join(" ");
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));
