import { readJson } from "@orch/status/read-json.js";
import { StoreRefused } from "./store-refused.js";

/** Whose data a store holds: written once, when the first server opens it, and compared at every start. */
export interface StoreIdentity {
  /** Of the names in it (`--api-dialect`); undefined where nobody said. */
  readonly dialect?: string;
  /** Of the store's own keeping. */
  readonly format: number;
  /** A random name of the cluster, which a copy of the data keeps. */
  readonly cluster: string;
}

/** What a server is, for comparison. */
export interface ExpectedDialect {
  readonly dialect: string;
  /** Keys that only data of a dialect has: they tell whose data it is that nobody has written an identity into yet. */
  readonly signs: Readonly<Record<string, readonly string[]>>;
}

export function parseIdentity(bytes: Buffer): StoreIdentity | undefined {
  try {
    const value: unknown = readJson(bytes.toString("utf8"));
    if (typeof value !== "object" || value === null) return undefined;
    const { dialect, format, cluster } = value as Partial<Record<keyof StoreIdentity, unknown>>;
    if (typeof format !== "number" || typeof cluster !== "string") return undefined;
    return { format, cluster, ...(typeof dialect === "string" ? { dialect } : {}) };
  } catch {
    return undefined;
  }
}

export function printIdentity(identity: StoreIdentity): Buffer {
  return Buffer.from(`${JSON.stringify(identity)}\n`);
}

export interface IdentityCheck {
  /** The data, as a sentence names it: `the data in ./data/store`. */
  readonly data: string;
  /** What gives another cluster a place of its own: `a data directory of its own (--data-dir)`. */
  readonly otherPlace: string;
  /** The newest format that this version reads. */
  readonly format: number;
  readonly expected: ExpectedDialect | undefined;
}

/** @throws StoreRefused when the data is another dialect's, or a newer version's */
export function checkIdentity(identity: StoreIdentity, check: IdentityCheck): void {
  if (identity.format > check.format) {
    throw new StoreRefused(
      `${check.data} has format ${identity.format}, and this version reads formats up to ${check.format}: start the version that wrote it, or a newer one`,
    );
  }
  if (identity.dialect !== undefined) checkDialect(identity.dialect, check);
}

/** @throws StoreRefused */
export function checkDialect(found: string, { data, otherPlace, expected }: IdentityCheck): void {
  if (expected === undefined || found === expected.dialect) return;
  throw new StoreRefused(
    `${data} belongs to a cluster of the ${found} dialect, and this server is to speak ${expected.dialect}: start it with --api-dialect=${found}, or give it ${otherPlace}`,
  );
}
