/** Durations as `1h2m3s`, `1.5s`, `300ms`; kept in whole nanoseconds. */
const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
const part = /(?:(\d+)(?:\.(\d*))?|\.(\d+))(ns|us|µs|μs|ms|s|m|h)/y;
const largest = 2n ** 63n - 1n;
/** Digits before and after the point that can make a difference to 64 bits of nanoseconds. */
const integerDigits = 19;
const fractionDigits = 18;

/** Nanoseconds, or undefined when the text is no duration or overflows 64 bits. */
export function parseDuration(text: string): bigint | undefined {
  if (/^[+-]?0$/.test(text)) return 0n;
  const scanner = new RegExp(part);
  scanner.lastIndex = /^[+-]/.test(text) ? 1 : 0;
  let total = 0n;
  do {
    const match = scanner.exec(text);
    if (match === null) return undefined;
    const [, integer = "", fraction = match[3] ?? "", , name = ""] = match;
    const digits = integer.replace(/^0+/, "");
    if (digits.length > integerDigits) return undefined;
    total += nanosecondsOf(digits, fraction.slice(0, fractionDigits), units.get(name) ?? 0n);
    if (total > largest) return undefined;
  } while (scanner.lastIndex < text.length);
  return text.startsWith("-") ? -total : total;
}

/** The same in milliseconds, with fractions: for flags and configurations, which need no nanoseconds. */
export function durationMs(text: string): number | undefined {
  const nanoseconds = parseDuration(text);
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / nanosecondsOfMs;
}

/** {@link formatDuration} of milliseconds: 90000 → `1m30s`. */
export function formatMs(ms: number): string {
  return formatDuration(BigInt(Math.round(ms * nanosecondsOfMs)));
}

const nanosecondsOfMs = 1e6;

function nanosecondsOf(integer: string, fraction: string, unit: bigint): bigint {
  const part = fraction === "" ? 0n : (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  return BigInt(integer || "0") * unit + part;
}

/** `1h2m3s`; under a second in the largest unit that leaves a whole part: `1.5ms`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const n = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (n < 1_000n) return `${sign}${n}ns`;
  if (n < 1_000_000n) return `${sign}${decimal(n, 1_000n)}µs`;
  if (n < 1_000_000_000n) return `${sign}${decimal(n, 1_000_000n)}ms`;
  const hours = n / 3_600_000_000_000n;
  const minutes = (n / 60_000_000_000n) % 60n;
  const seconds = decimal(n % 60_000_000_000n, 1_000_000_000n);
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}s`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`;
}

function decimal(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = String(value % unit)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  return fraction === "" ? String(value / unit) : `${value / unit}.${fraction}`;
}
