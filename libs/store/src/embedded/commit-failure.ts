import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type ApiError, insufficientStorage, unavailable } from "@orch/status/api-error.js";

// errno and LMDB codes that say "no room": ENOSPC, EFBIG (file size limit), EDQUOT, MDB_MAP_FULL, ENOMEM of the map.
const noRoom = new Set([28, 27, 122, -30792, 12]);
const ioError = 5;
/** A medium with less than this left is full, whatever the error says. */
const margin = 16 << 20;

/**
 * Why LMDB gave up a commit, as an ApiError. It aborts the transaction as a whole, so nothing was
 * written. A write cut short by a full medium reaches us as a plain I/O error: look at the room left.
 */
export async function commitFailure(error: unknown, file: string): Promise<ApiError> {
  const cause = await reasonOf(error);
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (typeof code === "number" && noRoom.has(code)) return insufficientStorage(cause);
  if (code === ioError && (await roomLeft(file)) < margin) return insufficientStorage(cause);
  return unavailable("the embedded store could not write to its medium; nothing was written", cause);
}

/** lmdb rejects with a general error that carries a promise, which rejects with the cause a moment later. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !("commitError" in error) || !(error.commitError instanceof Promise)) return error;
  const later: Promise<unknown> = error.commitError;
  const patience = new Promise((resolve) => setTimeout(resolve, 1000, error).unref());
  return Promise.race([later, patience]).catch((cause: unknown) => cause);
}

async function roomLeft(file: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(file));
  return bavail * bsize;
}
