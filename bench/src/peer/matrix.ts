import type { Row } from "../table.js";

/** Memory of its own that a server holds at the end, in bytes. */
export interface Held {
  readonly column: string;
  readonly bytes: number;
}

/**
 * All figures as one table in Markdown: three lines for each operation, a column for each server. What stands in parentheses is
 * how many times better a server is than that of the first column: its rate by the first one's, the first one's CPU or memory by
 * its own.
 */
export function printMatrix(rows: readonly Row[], held: readonly Held[]): string {
  const columns = [...new Set(rows.map(({ mode }) => mode))];
  const operations = [...new Set(rows.map(({ operation }) => operation))];
  const lines = operations.flatMap((operation) => {
    const of = columns.map((column) => rows.find((row) => row.operation === operation && row.mode === column));
    return linesOf(operation, of);
  });
  const bytes = columns.map((column) => held.find((one) => one.column === column)?.bytes);
  const table = [["operation", "", ...columns], ...lines, ["memory at the end", "MB", ...memoryCells(bytes)]];
  const [head = [], ...body] = table.map((cells) => `| ${cells.join(" | ")} |`);
  return [head, `|${"---|".repeat(columns.length + 2)}`, ...body].join("\n");
}

function linesOf(operation: string, [first, ...others]: readonly (Row | undefined)[]): readonly (readonly string[])[] {
  const line = (name: string, text: string, cell: (row: Row) => string, times?: (row: Row, floor: Row) => number) => [
    name,
    text,
    first === undefined ? "" : cell(first),
    ...others.map((row) => {
      if (row === undefined) return "";
      return times === undefined || first === undefined ? cell(row) : `${cell(row)} (${factor(times(row, first))} ×)`;
    }),
  ];
  const unit = first?.unit === "events/s" ? "events/s" : "a second";
  return [
    line(
      operation,
      unit,
      (row) => rounded(row.perSecond) + failed(row),
      (row, floor) => row.perSecond / floor.perSecond,
    ),
    line("", "p50, p99 ms", (row) => `${rounded(row.p50)}, ${rounded(row.p99)}`),
    line(
      "",
      "CPU µs",
      (row) => rounded(cpuOf(row)),
      (row, floor) => cpuOf(floor) / cpuOf(row),
    ),
  ];
}

const failed = ({ failures }: Row): string => (failures === 0 ? "" : ` **${failures} FAILED**`);

function memoryCells([first, ...others]: readonly (number | undefined)[]): readonly string[] {
  const cell = (bytes: number | undefined): string => (bytes === undefined ? "" : rounded(bytes / 1e6));
  const beside = others.map((bytes) =>
    bytes === undefined || first === undefined ? cell(bytes) : `${cell(bytes)} (${factor(first / bytes)} ×)`,
  );
  return [cell(first), ...beside];
}

/** Three digits, thousands apart: `21.3`, `144,000`. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = Number(value.toPrecision(3));
  return digits.toLocaleString("en-US", { maximumFractionDigits: digits < 10 ? 2 : 1 });
}

const factor = (times: number): string => (Number.isFinite(times) ? times.toFixed(times < 10 ? 1 : 0) : "–");

function cpuOf({ cpu }: Row): number {
  return [...cpu.values()].reduce((sum, used) => sum + used, 0);
}
