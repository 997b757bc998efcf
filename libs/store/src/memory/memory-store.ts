import { randomUUID } from "node:crypto";
import { formatVersion } from "../embedded/record.js";
import type { Room } from "../embedded/room.js";
import { type LocalStore, type LocalStoreOptions, serveDatabase } from "../embedded/serve-database.js";
import { openMemoryDatabase } from "./memory-database.js";

export interface MemoryStoreOptions extends Omit<LocalStoreOptions, "scrubIntervalMs"> {
  /** Of the names in it. */
  readonly dialect?: string;
}

/** The embedded store without a medium: nothing of it is left when the process ends. For tests of others. */
export function openMemoryStore({ dialect, ...options }: MemoryStoreOptions): Promise<LocalStore> {
  const identity = { format: formatVersion, cluster: randomUUID(), ...(dialect === undefined ? {} : { dialect }) };
  return serveDatabase(
    { ...options, scrubIntervalMs: 0 },
    { database: openMemoryDatabase(), identity, openRoom: async () => endless, release() {} },
  );
}

/** A process whose memory is at its end is ended by its system. */
const endless: Room = {
  admit: () => true,
  admitEssential: () => true,
  take() {},
  exhausted() {},
  recover: async () => true,
  full: false,
  bytes: Number.MAX_SAFE_INTEGER,
  tight: false,
};
