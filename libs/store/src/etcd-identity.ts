import { randomUUID } from "node:crypto";
import { ApiError } from "@orch/status/api-error.js";
import { identityKey } from "./etcd/layout.js";
import {
  checkDialect,
  checkIdentity,
  type ExpectedDialect,
  type IdentityCheck,
  parseIdentity,
  printIdentity,
  type StoreIdentity,
} from "./identity.js";
import { key, noRevision } from "./revision.js";
import type { Store } from "./store.js";
import { StoreRefused } from "./store-refused.js";
import { StoreUnreachable } from "./unreachable.js";

export interface ClaimOptions {
  readonly store: Pick<Store, "get" | "swap">;
  /** The prefix that the store was opened with. */
  readonly prefix: string;
  readonly expected: ExpectedDialect;
  readonly endpoints: readonly string[];
}

/** What lies under a prefix of etcd. */
const format = 1;
const tries = 5;

/**
 * The identity of the cluster under a prefix of etcd: the first of its services writes it, in one transaction, and all
 * others compare. @throws StoreRefused when it is another dialect's or a newer version's, or etcd cannot be reached
 */
export async function claimEtcdIdentity(options: ClaimOptions): Promise<StoreIdentity> {
  const { prefix, expected, endpoints } = options;
  const check: IdentityCheck = {
    data: `what etcd holds under ${prefix}`,
    otherPlace: "a prefix of its own (--etcd-prefix)",
    format,
    expected,
  };
  try {
    return await claim(options, check);
  } catch (error) {
    if (!(error instanceof StoreUnreachable)) throw error;
    const where = endpoints.join(", ");
    throw new StoreRefused(
      `etcd cannot be reached at ${where}: start it, or name its members with --etcd-servers (${error.message})`,
      { cause: error },
    );
  }
}

async function claim({ store, prefix, expected }: ClaimOptions, check: IdentityCheck): Promise<StoreIdentity> {
  const at = identityKey(prefix);
  for (let left = tries; ; left--) {
    const stored = await store.get(at);
    if (stored !== undefined) {
      const identity = parseIdentity(stored.value);
      if (identity === undefined) throw new StoreRefused(`${check.data} has an identity that cannot be read`);
      checkIdentity(identity, check);
      return identity;
    }
    for (const [dialect, signs] of Object.entries(expected.signs)) {
      for (const sign of signs) if ((await store.get(key(sign))) !== undefined) checkDialect(dialect, check);
    }
    const identity = { dialect: expected.dialect, format, cluster: randomUUID() };
    try {
      const swap = await store.swap({ key: at, expected: noRevision, value: printIdentity(identity) });
      if (swap.done) return identity;
    } catch (error) {
      // Whose it has become is read again. On an etcd that is full nobody can write it, and all the rest goes on.
      if (!(error instanceof ApiError)) throw error;
      if (error.reason === "InsufficientStorage") return identity;
      if (error.reason !== "Timeout" || left === 1) throw error;
    }
    if (left === 1) throw new StoreRefused(`the identity of ${check.data} changes all the time`);
  }
}
