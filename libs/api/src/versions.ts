/** API versions (`v1`, `v2beta1`) and releases (`1.32`): their order and what is served by default. */
interface Version {
  readonly stage: 0 | 1 | 2;
  readonly major: number;
  readonly minor: number;
}

const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

function parse(version: string): Version {
  const match = pattern.exec(version);
  if (match === null) return { stage: 2, major: 0, minor: 0 };
  const stage = match[2] === undefined ? 0 : match[2] === "beta" ? 1 : 2;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

/** Negative when `a` is preferred: stable before beta before alpha, higher number first. */
export function compareVersions(a: string, b: string): number {
  const x = parse(a);
  const y = parse(b);
  return x.stage - y.stage || y.major - x.major || y.minor - x.minor;
}

export function compareReleases(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split(".").map(Number);
  const [majorB = 0, minorB = 0] = b.split(".").map(Number);
  return majorA - majorB || minorA - minorB;
}

/** From when to when a kind of a version is there: releases, the last one exclusive. */
export interface Lifetime {
  readonly introduced: string;
  readonly removed: string | undefined;
  /** Served by default whatever its stage is; not where absent. */
  readonly byDefault?: boolean;
}

export function exists(life: Lifetime, release: string): boolean {
  if (compareReleases(life.introduced, release) > 0) return false;
  return life.removed === undefined || compareReleases(life.removed, release) > 0;
}

/**
 * Whether a version is served by default: alpha is off, beta too unless it came before 1.22 (rules: Stability levels) or
 * says otherwise, as the betas of flow control do.
 */
export function isServed(version: string, life: Lifetime, release: string): boolean {
  if (!exists(life, release)) return false;
  const { stage } = parse(version);
  return stage === 0 || life.byDefault === true || (stage === 1 && compareReleases(life.introduced, "1.22") < 0);
}
