const units: readonly (readonly [name: string, seconds: number, below: number])[] = [
  ["s", 1, 60],
  ["m", 60, 3600],
  ["h", 3600, 24 * 3600],
  ["d", 24 * 3600, 365 * 24 * 3600],
];
const year = 365 * 24 * 3600;

/** A time that is left, in its largest unit: `59s`, `23h`, `364d`, `2y`; `<invalid>` where it is over. */
export function shortDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  for (const [name, of, below] of units) if (seconds < below) return `${Math.floor(seconds / of)}${name}`;
  return `${Math.floor(seconds / year)}y`;
}
