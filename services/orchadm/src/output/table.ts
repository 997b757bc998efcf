/** Space after the longest text of a column. */
const padding = 3;
const leastWidth = 10;

/** Rows below each other, columns as wide as their longest text; the last one ends with its text. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(leastWidth, ...rows.map((row) => (row[column] ?? "").length + padding)),
  );
  const lineOf = (row: readonly string[]): string =>
    row.map((text, column) => (column === row.length - 1 ? text : text.padEnd(widths[column] ?? 0))).join("");
  return rows.map((row) => `${lineOf(row)}\n`).join("");
}
