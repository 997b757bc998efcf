// libs/runtime and libs/schema read durations too, but libs/auth may import neither.

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration in Go's syntax, `1m30s`; undefined where it is none. */
export function durationMs(text: string): number | undefined {
  if (text === "0") return 0;
  if (text.length > 64 || !/^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, number = "", unit = ""] of text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)) {
    ms += Number(number) * (unitMs[unit] ?? 0);
  }
  return text.startsWith("-") ? -ms : ms;
}
