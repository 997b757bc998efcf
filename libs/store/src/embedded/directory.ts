import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "@orch/status/api-error.js";
import type { IdentityCheck, StoreIdentity } from "../identity.js";
import { checkDialect, checkIdentity, type ExpectedDialect, parseIdentity, printIdentity } from "../identity.js";
import type { Logger } from "../logger.js";
import { StoreRefused } from "../store-refused.js";
import { inspectDataFile } from "./data-file.js";
import { type EmbeddedDatabase, openDatabase } from "./database.js";
import { readIdentityFile, writeIdentityFile } from "./identity-file.js";
import { takeLock } from "./lock.js";
import { formatVersion } from "./record.js";
import { beginUpgrade, sealLog } from "./upgrade.js";

export const dataFile = "data.mdb";

export interface TakeOptions {
  readonly path: string;
  readonly dialect: ExpectedDialect | undefined;
  readonly logger: Logger | undefined;
}

export interface TakenDirectory {
  readonly database: EmbeddedDatabase;
  readonly identity: StoreIdentity;
  readonly unlock: () => void;
}

/** The data directory, for this process alone, when it is what it should be; before that nothing is opened or written. */
export async function takeDirectory({ path, dialect, logger }: TakeOptions): Promise<TakenDirectory> {
  const check: IdentityCheck = {
    data: `the data in ${path}`,
    otherPlace: "a data directory of its own (--data-dir)",
    format: formatVersion,
    expected: dialect,
  };
  const noted = readIdentityFile(path);
  if (noted.identity !== undefined) checkIdentity(noted.identity, check);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  const unlock = takeLock(path);
  let database: EmbeddedDatabase | undefined;
  try {
    const file = join(path, dataFile);
    inspectDataFile(file, noted.exists);
    database = openDatabase(file);
    // Older versions left them to be read by everybody whom the folder let in.
    for (const own of [file, `${file}-lock`]) if (existsSync(own)) chmodSync(own, 0o600);
    const identity = await identify(database, { noted: noted.identity, check, logger, path });
    return { database, identity, unlock };
  } catch (error) {
    await database?.close();
    unlock();
    throw error;
  }
}

interface Identifying {
  readonly noted: StoreIdentity | undefined;
  readonly check: IdentityCheck;
  readonly logger: Logger | undefined;
  readonly path: string;
}

/** The identity that the database has, or gets now: it is new, or of a version that wrote none. */
async function identify(
  database: EmbeddedDatabase,
  { noted, check, logger, path }: Identifying,
): Promise<StoreIdentity> {
  const format = database.format() ?? formatVersion;
  const bytes = database.identity();
  const known = bytes === undefined ? undefined : parseIdentity(bytes);
  checkIdentity({ cluster: "", ...(known ?? noted), format }, check);
  if ((known ?? noted)?.dialect === undefined) refuseForeign(database, check);
  const dialect = known?.dialect ?? check.expected?.dialect;
  const identity: StoreIdentity = {
    ...(dialect === undefined ? {} : { dialect }),
    format: formatVersion,
    cluster: known?.cluster ?? noted?.cluster ?? randomUUID(),
  };
  const roomless = (error: unknown): never => {
    if (!(error instanceof ApiError) || error.reason !== "InsufficientStorage") throw error;
    throw new StoreRefused(`there is no room to prepare ${check.data}: free some space on its medium`, {
      cause: error,
    });
  };
  const print = printIdentity(identity);
  if (format < formatVersion) {
    logger?.info(
      { path, from: format, to: formatVersion },
      "upgrading the data: older versions cannot read it any more",
    );
    await beginUpgrade(database, identity).catch(roomless);
  } else if (bytes?.equals(print) !== true) {
    await database.commit({ identity: print }).catch(roomless);
  }
  if (noted === undefined || !printIdentity(noted).equals(print)) noteIdentity(path, identity, logger);
  await sealLog(database).catch((err: unknown) =>
    logger?.warn({ err, path }, "not all of the data got a checksum yet; the next start goes on"),
  );
  return identity;
}

function noteIdentity(path: string, identity: StoreIdentity, logger: Logger | undefined): void {
  try {
    writeIdentityFile(path, identity);
  } catch (err) {
    // The database has it too; only a start after it was lost could tell less.
    logger?.warn({ err, path }, "the identity could not be noted beside the data; the next start tries again");
  }
}

/** Whose data it is that has no identity is told by what is in it. */
function refuseForeign(database: EmbeddedDatabase, check: IdentityCheck): void {
  const snapshot = database.snapshot();
  try {
    for (const [dialect, signs] of Object.entries(check.expected?.signs ?? {})) {
      if (signs.some((sign) => snapshot.find(Buffer.from(sign)) !== undefined)) checkDialect(dialect, check);
    }
  } finally {
    snapshot.release();
  }
}
