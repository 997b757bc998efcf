/** What is asked of a log. */
export interface LogQuery {
  readonly timestamps: boolean;
  /** Milliseconds since 1970: no line is older. */
  readonly sinceMs: number | undefined;
  /** The last so many lines. */
  readonly tail: number | undefined;
}

export interface LogSource {
  /** `default/web-0/nginx`: what the lines are about. */
  readonly name: string;
  /** Since when it writes, milliseconds since 1970. */
  readonly sinceMs: number;
}

/** A line a second; of what ran for long only the last hour is told. */
const everyMs = 1_000;
const mostLines = 3_600;

/** How many lines there are at a time; line n came `everyMs * n` after the start. */
export function linesAt({ sinceMs }: LogSource, nowMs: number): number {
  return nowMs < sinceMs ? 0 : Math.floor((nowMs - sinceMs) / everyMs) + 1;
}

/** When a line comes. */
export const timeOfLine = ({ sinceMs }: LogSource, line: number): number => sinceMs + line * everyMs;

/** The first line that a question means, of so many that are there. */
export function firstLine(source: LogSource, lines: number, { sinceMs, tail }: LogQuery): number {
  const bySince = sinceMs === undefined ? 0 : Math.ceil((sinceMs - source.sinceMs) / everyMs);
  const byTail = tail === undefined ? 0 : lines - tail;
  return Math.min(lines, Math.max(0, lines - mostLines, bySince, byTail));
}

export function logLine(source: LogSource, line: number, { timestamps }: Pick<LogQuery, "timestamps">): string {
  const stamp = timestamps ? `${new Date(timeOfLine(source, line)).toISOString().slice(0, 19)}.000000000Z ` : "";
  const what = line === 0 ? "started; this container is simulated and nothing runs" : `second ${line}`;
  return `${stamp}${source.name}: ${what}\n`;
}
