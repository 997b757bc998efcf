import { closeSync, constants, copyFileSync, mkdirSync, openSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";

/** Of a log and of the one before it; a log may outgrow it by what is written between two looks. */
export const logBytes = 16 * 1024 * 1024;

/** Opens a log so that what several write into it stands there one after the other, whatever becomes of it. */
export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  return openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o640);
}

/**
 * Once a log has grown beyond its size, its content becomes `NAME.log.1` and it begins anew. The file stays the same, since
 * processes that outlive the supervisor write into it; what they write between the two steps is lost.
 */
export function boundLog(path: string, most = logBytes): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= most) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

export function withLog<T>(path: string, use: (file: number) => T): T {
  const file = openLog(path);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}
