/** `v1.32.0-rc.1` */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** `rc.1`; empty of a release. */
  readonly before: string;
}

const shape = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/;

export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, before = ""] = shape.exec(text) ?? [];
  return major === undefined ? undefined : { major: +major, minor: Number(minor), patch: Number(patch), before };
}

/** @throws Error for what is none */
export function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (version !== undefined) return version;
  throw new Error(`version ${JSON.stringify(text.slice(0, 100))} is not of the form v1.2.3`);
}

/** Below zero where the first one is older. */
export function compareVersions(a: Version, b: Version): number {
  const numbers = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  if (numbers !== 0 || a.before === b.before) return numbers;
  // What comes before a release is older than it.
  if (a.before === "" || b.before === "") return a.before === "" ? 1 : -1;
  return compareParts(a.before.split("."), b.before.split("."));
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [left, right] = [a[i], b[i]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    const [x, y] = [Number(left), Number(right)];
    const areNumbers = !Number.isNaN(x) && !Number.isNaN(y);
    if (areNumbers && x !== y) return x - y;
    if (!areNumbers && left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
