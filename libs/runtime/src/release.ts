import { version } from "./version.js";

/** Releases that can be emulated: `1.16` to this build's own. */
export const oldestRelease = "1.16";
export const newestRelease: string = version.release;

/** `1.32` → 32; undefined where the text is no release of major version 1. */
export function minorOf(release: string): number | undefined {
  const match = /^1\.(0|[1-9]\d{0,3})$/.exec(release);
  return match === null ? undefined : Number(match[1]);
}

/** Releases from `since` to `release`: 0 in the one it names, negative before. Throws TypeError where one is none. */
export function releasesSince(since: string, release: string): number {
  const from = minorOf(since);
  const to = minorOf(release);
  if (from === undefined || to === undefined) throw new TypeError(`${since} or ${release} is no release`);
  return to - from;
}

/** `1.32` → `1.31`. */
export function releaseBefore(release: string): string {
  return `1.${(minorOf(release) ?? 0) - 1}`;
}
