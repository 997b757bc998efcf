import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRange, lateAllocationsMs, type RangeStep, type SeenRange } from "./decide-range.js";

const now = 1_000_000;
const long = now - lateAllocationsMs;

function range(name: string, cidrs: string, more: Partial<SeenRange> = {}): SeenRange {
  return { name, cidrs: cidrs.split(" "), goesSince: undefined, isProtected: true, ready: undefined, ...more };
}
const own = (more: Partial<SeenRange> = {}, cidrs = "10.0.0.0/24 fd00::/112"): SeenRange => range("own", cidrs, more);

const ready = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const;
const message =
  "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";
const terminating = { status: "False", reason: "Terminating", message } as const;
const stays: RangeStep = { step: "tell", ready: terminating };
const letGo: RangeStep = { step: "let go" };

type Row = readonly [
  what: string,
  own: SeenRange,
  others: readonly SeenRange[],
  addresses: readonly string[],
  RangeStep,
];

const going = own({ goesSince: long });
const rows: readonly Row[] = [
  ["a new one is protected", own({ isProtected: false }), [], [], { step: "protect" }],
  ["one that is protected is said to be ready", own(), [], [], { step: "tell", ready }],
  [
    "one that said the server's words says these",
    own({ ready: { ...ready, message: "other" } }),
    [],
    [],
    { step: "tell", ready },
  ],
  ["one of which it is said is left", own({ ready }), [], [], { step: "nothing" }],
  [
    "one that goes without protection is left",
    own({ isProtected: false, goesSince: long }),
    [],
    [],
    { step: "nothing" },
  ],
  ["one that goes with no address is let go", going, [], [], letGo],
  ["an address of another range holds nothing", going, [], ["10.0.1.1", "fd00::1:1"], letGo],
  ["an address of IPv4 holds it", going, [], ["10.0.0.9"], stays],
  ["an address of IPv6 holds it", going, [], ["fd00::9"], stays],
  ["it is said once", own({ goesSince: long, ready: terminating }), [], ["10.0.0.9"], { step: "nothing" }],
  ["addresses that nobody is given hold nothing", going, [], ["10.0.0.0", "10.0.0.255", "fd00::"], letGo],
  ["the last of IPv6 is given", going, [], ["fd00::ffff"], stays],
  [
    "a larger range of each family takes over",
    going,
    [range("a", "10.0.0.0/16 fd00::/64")],
    ["10.0.0.9", "fd00::9"],
    letGo,
  ],
  ["the same one takes over", going, [range("a", "10.0.0.0/24 fd00::/112")], ["10.0.0.9"], letGo],
  ["a larger range of one family does not do", going, [range("a", "10.0.0.0/16")], ["fd00::9"], stays],
  ["a smaller range that has the address does", going, [range("a", "10.0.0.8/29")], ["10.0.0.9"], letGo],
  [
    "a smaller range that has one of two does not",
    going,
    [range("a", "10.0.0.8/29")],
    ["10.0.0.9", "10.0.0.20"],
    stays,
  ],
  ["its allocators hear first", own({ goesSince: now - 4000 }), [], [], { step: "wait", ms: lateAllocationsMs - 4000 }],
];

for (const [what, subject, others, addresses, wanted] of rows) {
  test(what, () => {
    const around = { ranges: [...others, subject], addresses, now, productName: "Kubernetes" };
    assert.deepEqual(decideRange(subject, around), wanted);
  });
}
