import { compareVersions, parseVersion } from "../upgrade/versions.js";

/** Minor versions that a cluster may be behind the program that sets it up. */
const mostBehind = 1;

export interface OwnRelease {
  /** Of this program: `v1.32.0`. */
  readonly version: string;
  /** `orchadm`, in the dialect. */
  readonly program: string;
}

/** @throws Error for a version that this program no longer sets up */
export function refuseOldRelease(wanted: string, { version, program }: OwnRelease): void {
  const [own, asked] = [parseVersion(version), parseVersion(wanted)];
  if (own === undefined || asked === undefined) return;
  const least = { major: own.major, minor: own.minor - mostBehind, patch: 0, before: "" };
  if (compareVersions(asked, least) >= 0) return;
  throw new Error(
    `this version of ${program} only supports deploying clusters with the control plane version >= ${least.major}.${least.minor}.0. Current version: ${wanted}`,
  );
}

/** Whether a cluster would be of a release that comes after this program. */
export function isNewerRelease(wanted: string, { version }: Pick<OwnRelease, "version">): boolean {
  const [own, asked] = [parseVersion(version), parseVersion(wanted)];
  if (own === undefined || asked === undefined) return false;
  return asked.major > own.major || (asked.major === own.major && asked.minor > own.minor);
}
