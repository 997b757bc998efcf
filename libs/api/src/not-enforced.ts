import type { Naming } from "@orch/naming/naming.js";
import type { Kind } from "./catalog.js";

/** What is stored and validated, and has no effect yet. */
interface Row {
  /** Of the kind that is stored. */
  readonly group: Word;
  readonly kind: string;
  readonly why: string;
  /** It has its effect where ranges of addresses are objects (gate MultiCIDRServiceAllocator). */
  readonly isOfRanges?: true;
}

type Word = (naming: Naming) => string;
const plain =
  (group: string): Word =>
  () =>
    group;
const system =
  (short: string): Word =>
  (naming) =>
    naming.group(short);

const ranges = "addresses of services come from the flags of the server alone without gate MultiCIDRServiceAllocator";

/** The feature that lands removes its row, and with it the warning; README.md, "Not yet", says the same to readers. */
const rows: readonly Row[] = [
  { group: plain("policy"), kind: "PodSecurityPolicy", why: "pods are not held to it" },
  { group: system("networking"), kind: "ServiceCIDR", why: ranges, isOfRanges: true },
  { group: system("networking"), kind: "IPAddress", why: ranges, isOfRanges: true },
];

/** Says of a written object what it asks for in vain; undefined of nearly all. */
export type NotEnforced = (kind: Kind) => string | undefined;

export interface Enforced {
  /** Services are given addresses of the ranges that objects name (gate MultiCIDRServiceAllocator). */
  readonly rangesAreObjects?: boolean;
}

export function createNotEnforced(naming: Naming, { rangesAreObjects = false }: Enforced = {}): NotEnforced {
  const now = rows.filter(({ isOfRanges = false }) => !(isOfRanges && rangesAreObjects));
  const known = new Map(now.map((row) => [`${row.group(naming)}/${row.kind}`, row]));
  return ({ hub }) => {
    const row = known.get(`${hub.group}/${hub.kind}`);
    return row === undefined ? undefined : `${row.kind} is stored and not enforced yet: ${row.why}`;
  };
}
