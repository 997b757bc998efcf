import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseIdentity, printIdentity, type StoreIdentity } from "../identity.js";

/** The identity beside the database, so that it can be read before that is opened. The database has it too. */
const name = "identity.json";

export interface IdentityFile {
  /** Whether there is one, readable or not: then there was a database too. */
  readonly exists: boolean;
  readonly identity: StoreIdentity | undefined;
}

export function readIdentityFile(directory: string): IdentityFile {
  try {
    return { exists: true, identity: parseIdentity(readFileSync(join(directory, name))) };
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return { exists: false, identity: undefined };
    }
    throw error;
  }
}

/** Written aside and renamed: nobody ever sees half of it. */
export function writeIdentityFile(directory: string, identity: StoreIdentity): void {
  const aside = join(directory, `${name}.${randomUUID()}`);
  try {
    writeFileSync(aside, printIdentity(identity), { flag: "wx", mode: 0o600, flush: true });
    renameSync(aside, join(directory, name));
  } finally {
    rmSync(aside, { force: true });
  }
}
