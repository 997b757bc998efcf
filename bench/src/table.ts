/** One line of the result. */
export interface Row {
  readonly operation: string;
  readonly mode: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly unit: string;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU per operation, by process. */
  readonly cpu: ReadonlyMap<string, number>;
  /** To the floor of the same run; undefined for a floor itself. */
  readonly ratio: number | undefined;
  readonly floor: string;
  readonly failures: number;
}

const columns = [
  "operation",
  "mode",
  "conn",
  "throughput",
  "p50 ms",
  "p99 ms",
  "CPU µs per operation",
  "ratio",
  "floor",
] as const;

export function printTable(rows: readonly Row[]): string {
  const cells = [columns, ...rows.map(cellsOf)];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => (row[i] ?? "").length)));
  const lines = cells.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`);
  const rule = `|${widths.map((w) => "-".repeat(w + 2)).join("|")}|`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

function cellsOf(row: Row): readonly string[] {
  const failed = row.failures > 0 ? ` (${row.failures} FAILED)` : "";
  return [
    row.operation,
    row.mode,
    String(row.connections),
    `${human(row.perSecond)} ${row.unit}${failed}`,
    row.p50.toFixed(2),
    row.p99.toFixed(2),
    cpuText(row.cpu),
    row.ratio === undefined ? "" : row.ratio.toFixed(2),
    row.floor,
  ];
}

/** Processes of one sort stand together: two gateways are one number. */
function cpuText(cpu: ReadonlyMap<string, number>): string {
  const bySort = new Map<string, number>();
  for (const [name, used] of cpu) {
    const sort = name.replace(/ .*/, "");
    bySort.set(sort, (bySort.get(sort) ?? 0) + used);
  }
  const total = [...bySort.values()].reduce((a, b) => a + b, 0);
  const parts = [...bySort].map(([sort, used]) => `${sort} ${used.toFixed(1)}`);
  return bySort.size > 1 ? `${total.toFixed(1)} (${parts.join(", ")})` : parts.join("");
}

function human(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  return value >= 1e4 ? `${(value / 1e3).toFixed(1)} k` : value.toFixed(0);
}
