import { growthOf, measurableMs } from "./measure.js";
import type { Finding } from "./search.js";

const shown = 20;

/** The worst of all rows, by how they grow and by what a byte costs; and whatever is wrong, with the way to see it again. */
export function report(findings: readonly Finding[]): string {
  const wrong = findings.filter((f) => f.wrong !== undefined);
  const measurable = findings.filter((f) => f.large >= measurableMs && f.small < f.large);
  const byGrowth = measurable.toSorted((a, b) => growthOf(b) - growthOf(a)).slice(0, shown);
  const byCost = measurable.toSorted((a, b) => nanosecondsOf(b) - nanosecondsOf(a)).slice(0, shown);
  const again = ({ name }: Finding): string => `  make bench ARGS="--only=growth --row='${name}'"`;
  return [
    `what grows fastest\n${table(byGrowth)}`,
    `what costs most for a byte\n${table(byCost)}`,
    `${findings.length} rows answered ${codesOf(findings)}`,
    ...wrong.map((f) => `WRONG: ${f.name} ${f.wrong}, ${f.n} elements in ${f.large.toFixed(0)} ms\n${again(f)}`),
    `${wrong.length} of them wrong`,
  ].join("\n\n");
}

const nanosecondsOf = ({ large, bytes }: Finding): number => (large * 1e6) / bytes;

function table(findings: readonly Finding[]): string {
  const cells = findings.map((f) => [
    f.name,
    `${f.n}`,
    `${(f.bytes / 1024).toFixed(0)} KiB`,
    `${f.small.toFixed(1)} ms`,
    `${f.large.toFixed(1)} ms`,
    `${growthOf(f).toFixed(1)} ×`,
    `${nanosecondsOf(f).toFixed(0)} ns/B`,
    `${f.code}`,
  ]);
  const rows = [["row", "n", "bytes", "n / 4", "n", "growth", "cost", "answer"], ...cells];
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`).join("\n");
}

function codesOf(findings: readonly Finding[]): string {
  const counts = new Map<number, number>();
  for (const { code } of findings) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([code, count]) => `${count} × ${code}`)
    .join(", ");
}
