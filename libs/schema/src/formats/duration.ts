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
const whole = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const part = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g;
const largest = 2n ** 63n - 1n;

/** Nanoseconds, or undefined when the text is no duration or overflows 64 bits. */
export function parseDuration(text: string): bigint | undefined {
  if (/^[+-]?0$/.test(text)) return 0n;
  if (!whole.test(text)) return undefined;
  let total = 0n;
  for (const [, integer = "", fraction = "", name = ""] of text.matchAll(part)) {
    const unit = units.get(name) ?? 0n;
    total += BigInt(integer || "0") * unit;
    if (fraction !== "") total += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  }
  if (total > largest) return undefined;
  return text.startsWith("-") ? -total : total;
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
