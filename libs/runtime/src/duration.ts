const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration in Go's syntax: `10s`, `1m30s`, `1.5h`, `0`; undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, number = "", unit = ""] of text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)) {
    ms += Number(number) * (unitMs[unit] ?? 0);
  }
  return text.startsWith("-") ? -ms : ms;
}

/** Milliseconds as Go prints them: 90000 → `1m30s`, 0 → `0s`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 1000) return ms === 0 ? "0s" : `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ""}${hours + minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}
