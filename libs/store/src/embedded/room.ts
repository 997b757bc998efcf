import { open, stat } from "node:fs/promises";
import type { EmbeddedDatabase } from "./database.js";

/**
 * The room that commits have in the database's own file, and a reserve of it that only essential ones may use.
 *
 * ```
 * data.mdb   | pages in use and free ones, which LMDB writes again | zeros, behind LMDB's last page |
 *                          `------ room ------------------------------------------------------'
 * ```
 *
 * The reserve is zeros that were appended to the file: LMDB writes over them as it grows, and the medium has given their
 * blocks already, so that neither a full medium nor others who write on it can take them away, and nothing must be given
 * up or made anew when it comes to it. What LMDB itself has freed counts too: deletions make room on a medium that
 * stays full. (A file system that copies on write may still refuse; such a commit fails as a whole, as before.)
 *
 * Appending is safe beside LMDB's own writes: a write that appends goes to where the file ends at that moment, which is
 * never a page that LMDB has written.
 */
export interface Room {
  /** Whether an ordinary commit of about so many bytes may be made; at once while that is known. */
  admit(bytes: number): boolean | Promise<boolean>;
  /** The same of one that may use the reserve, but for the part by which deletions and compaction make room. */
  admitEssential(bytes: number): boolean | Promise<boolean>;
  /** Deletions of about so many bytes are committed, whatever there is. */
  take(bytes: number): void;
  /** A commit failed for want of room all the same. */
  exhausted(): void;
  /** Looks again, and takes the reserve anew; whether there is room now. */
  recover(): Promise<boolean>;
  /** Ordinary commits are refused. */
  readonly full: boolean;
  /** Until they are; as it was last measured. */
  readonly bytes: number;
  /** Much of the reserve is used up. */
  readonly tight: boolean;
}

export interface RoomOptions {
  readonly database: Pick<EmbeddedDatabase, "pages">;
  readonly file: string;
  /** Bytes that ordinary commits leave. */
  readonly reserve: number;
  readonly onChange: (full: boolean) => void;
}

/** So much is appended at once; room is measured when a share of it may be used up. */
const stepBytes = 2 << 20;
const spareBytes = 512 << 10;
/** Of the reserve: what is only for that which makes room, and below which history is not kept. */
const [lastShare, tightShare] = [0.25, 0.5];
/** Between two looks at a medium that was full, in milliseconds. */
const lookAgainMs = 250;
const zeros = Buffer.alloc(256 << 10);

export async function openRoom({ database, file, reserve, onChange }: RoomOptions): Promise<Room> {
  let measured = 0;
  /** What is left of it by the guess of those who took some: below what there is. */
  let left = 0;
  let full = false;
  let looked = Number.NEGATIVE_INFINITY;
  let looking: Promise<boolean> | undefined;

  const measure = async (): Promise<void> => {
    const { size: bytes } = await stat(file);
    const { size, used, free } = database.pages();
    measured = Math.max(0, bytes - used * size) + free * size;
    left = measured;
  };
  const setFull = (now: boolean): void => {
    if (now === full) return;
    full = now;
    onChange(now);
  };
  /** Whether the reserve and so much more are there, or can be had. */
  const look = async (need: number): Promise<boolean> => {
    looked = performance.now();
    await measure();
    const missing = reserve + need + stepBytes / 2 - measured;
    if (missing > 0) {
      await append(file, missing + stepBytes / 2);
      await measure();
    }
    const spare = measured - reserve;
    // What is too large for it does not keep others out; and what was full is so until there is some room to spare.
    setFull(spare < (full ? spareBytes : Math.min(need, spareBytes)));
    return !full && spare >= need;
  };
  const lookOnce = (need: number): Promise<boolean> => {
    looking ??= look(need).finally(() => {
      looking = undefined;
    });
    return looking;
  };

  await look(0);
  return {
    admit(bytes) {
      if (full && performance.now() - looked < lookAgainMs) return false;
      if (!full && left - bytes >= reserve) {
        left -= bytes;
        return true;
      }
      return lookOnce(bytes).then((ok) => {
        if (ok) left -= bytes;
        return ok;
      });
    },
    admitEssential(bytes) {
      const take = (): boolean => {
        if (left - bytes < reserve * lastShare) return false;
        left -= bytes;
        return true;
      };
      return take() || measure().then(take);
    },
    take(bytes) {
      left -= bytes;
    },
    get tight() {
      return measured < reserve * tightShare;
    },
    exhausted() {
      looked = performance.now();
      setFull(true);
    },
    recover: () => lookOnce(0),
    get full() {
      return full;
    },
    get bytes() {
      return Math.max(0, left - reserve);
    },
  };
}

/** As much of it as the medium takes. */
async function append(file: string, bytes: number): Promise<void> {
  const handle = await open(file, "a");
  try {
    for (let written = 0; written < bytes; ) {
      const { bytesWritten } = await handle.write(zeros, 0, Math.min(zeros.length, bytes - written));
      written += bytesWritten;
    }
  } catch {
    // No room, or none for this file: how much there is now is measured.
  } finally {
    await handle.close();
  }
}
