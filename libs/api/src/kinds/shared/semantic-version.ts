/** `1.32.0-alpha.1+build` (semver.org, 2.0.0). */
export interface SemanticVersion {
  readonly numbers: readonly number[];
  /** Empty for a release. */
  readonly prerelease: readonly string[];
}

const number = "(?:0|[1-9][0-9]*)";
const identifier = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)";
const build = "[0-9A-Za-z-]+";
const form = new RegExp(
  `^(${number})\\.(${number})\\.(${number})(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+${build}(?:\\.${build})*)?$`,
);

export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  return { numbers: match.slice(1, 4).map(Number), prerelease: match[4]?.split(".") ?? [] };
}

/** Negative, zero or positive as a comes before b, means the same, or comes after. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [i, n] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0;
    if (n !== other) return n - other;
  }
  // 1.0.0-alpha < 1.0.0
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i];
    if (other === undefined) return 1;
    const order = comparePrereleases(part, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** Numbers before words. */
function comparePrereleases(a: string, b: string): number {
  const [x, y] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (x && y) return Number(a) - Number(b);
  if (x !== y) return x ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
