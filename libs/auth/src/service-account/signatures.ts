import type { Naming } from "@orch/naming/naming.js";
import { compactVerify, decodeProtectedHeader } from "jose";
import { LRUCache } from "lru-cache";
import { createInFlight } from "../in-flight.js";
import { parseJsonObject } from "../json.js";
import { tokenDigest } from "../secrets.js";
import { type Claims, type ReadClaims, readClaims } from "./claims.js";
import type { PublicKey } from "./keys.js";

/** A token that we have signed, or why it is none. */
export type Checked =
  | { readonly ok: true; readonly claims: Claims; readonly digest: string }
  | { readonly ok: false; readonly why: string };

export interface Signatures {
  /**
   * Answers at once for what was asked before: a signature costs twenty times more than everything else. Undefined for
   * a token of no sort.
   */
  check(token: string, sortOf: (token: string) => Claims["sort"] | undefined): Checked | Promise<Checked> | undefined;
}

/** Good tokens are about a kilobyte each in memory, wrong ones a few bytes. */
const keptGood = 10_000;
const keptWrong = 10_000;

/** Checks signatures, once for a token; what is kept of it is its SHA-256. */
export function signatures({
  naming,
  keys,
}: {
  readonly naming: Naming;
  readonly keys: readonly PublicKey[];
}): Signatures {
  const good = new LRUCache<string, Checked>({ max: keptGood });
  const wrong = new LRUCache<string, Checked>({ max: keptWrong });
  const inFlight = createInFlight<Checked>();
  return {
    check(token, sortOf) {
      const digest = tokenDigest(token);
      const known = good.get(digest) ?? wrong.get(digest);
      if (known !== undefined) return known;
      const sort = sortOf(token);
      if (sort === undefined) return undefined;
      return inFlight(digest, async () => {
        const verified = await verify(token, keys);
        const read = verified.ok ? readPayload(naming, verified.payload, sort) : verified;
        const checked: Checked = read.ok ? { ...read, digest } : read;
        (checked.ok ? good : wrong).set(digest, checked);
        return checked;
      });
    },
  };
}

type Verified = { readonly ok: true; readonly payload: Uint8Array } | { readonly ok: false; readonly why: string };

/** With the keys that its `kid` names, or with all where it names none; each with its own algorithm alone. */
async function verify(token: string, keys: readonly PublicKey[]): Promise<Verified> {
  const header = headerOf(token);
  if (header === undefined) return { ok: false, why: "its header makes no sense" };
  if (header.crit !== undefined) return { ok: false, why: "its header asks for an extension" };
  const fitting = header.kid === undefined ? keys : keys.filter((key) => key.id === header.kid);
  if (fitting.length === 0) return { ok: false, why: "no key of ours has signed it" };
  for (const { key, algorithm } of fitting) {
    try {
      const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
      return { ok: true, payload };
    } catch {
      // Another key may fit.
    }
  }
  return { ok: false, why: "its signature is wrong" };
}

function headerOf(token: string): { readonly kid: string | undefined; readonly crit: unknown } | undefined {
  try {
    const { kid, crit } = decodeProtectedHeader(token);
    if (kid !== undefined && typeof kid !== "string") return undefined;
    return { kid: kid === "" ? undefined : kid, crit };
  } catch {
    return undefined;
  }
}

function readPayload(naming: Naming, payload: Uint8Array, sort: Claims["sort"]): ReadClaims {
  const claims = parseJsonObject(Buffer.from(payload).toString("utf8"));
  return claims === undefined ? { ok: false, why: "its payload is no object" } : readClaims(naming, claims, sort);
}
