/**
 * Whether a server's answers to progress requests can be believed: before 3.4.25 and 3.5.8 one could
 * overtake events that were still on their way, and a reader that trusted it missed them.
 */
export function canReportProgress(version: string): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  const [major, minor, patch] = match.slice(1).map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return false;
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 25;
  if (minor === 5) return patch >= 8;
  return minor > 5;
}
