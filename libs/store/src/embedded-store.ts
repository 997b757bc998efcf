import { join } from "node:path";
import type { EmbeddedDatabase } from "./embedded/database.js";
import { dataFile, takeDirectory } from "./embedded/directory.js";
import { openRoom } from "./embedded/room.js";
import { type LocalStore, type LocalStoreOptions, serveDatabase } from "./embedded/serve-database.js";
import type { ExpectedDialect } from "./identity.js";
import { StoreRefused } from "./store-refused.js";

export interface EmbeddedStoreOptions extends LocalStoreOptions {
  /** The data directory; made when it is not there. */
  readonly path: string;
  /** Data of another dialect is refused; none is where this is absent. */
  readonly dialect?: ExpectedDialect;
  /** Bytes of the medium that are kept back for essential changes; 4 MiB. */
  readonly reserveBytes?: number;
}

const fullText =
  "the store has no room left: deletions, lease renewals and the server's own writes go on, all others are refused; free some space on its medium, or delete objects";

/**
 * The Store on LMDB in a directory of this process: durable, one writer, history compacted by age.
 * Throws StoreLockedError when another process holds the directory, and StoreRefused when what lies there is another
 * dialect's or a newer version's, or is not whole.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<LocalStore> {
  const { path, dialect, logger, reserveBytes: reserve = 4 << 20 } = options;
  const { database, identity, unlock } = await takeDirectory({ path, dialect, logger });
  const roomFor = async (onFull: () => void) => {
    const room = await openRoom({
      ...{ database, reserve, file: join(path, dataFile) },
      onChange(full) {
        if (full) logger?.error({ path }, fullText);
        else logger?.info({ path }, "the store has room again, and its reserve; all writes are taken");
        if (full) onFull();
      },
    });
    if (room.full && isNew(database))
      throw new StoreRefused(`there is no room for a new store in ${path}: free some space on its medium`);
    return room;
  };
  try {
    return await serveDatabase(options, { database, identity, openRoom: roomFor, release: unlock });
  } catch (error) {
    await database.close();
    unlock();
    throw error;
  }
}

function isNew(database: EmbeddedDatabase): boolean {
  const snapshot = database.snapshot();
  snapshot.release();
  return snapshot.revision === 0;
}
