import assert from "node:assert/strict";
import { test } from "node:test";
import { createPodAddresses } from "./pod-addresses.js";

test("no two pods of a node have one address, whatever range it has", () => {
  for (const [cidr, room] of [
    [undefined, 253],
    ["10.244.3.0/24", 253],
    ["10.244.3.0/29", 5],
  ] as const) {
    const addresses = createPodAddresses();
    const given = Array.from({ length: room }, (_, i) => addresses.take("n", `p${i}`, cidr));
    assert.equal(new Set(given).size, room, cidr);
    assert.equal(addresses.take("n", "p0", cidr), given[0], "the same pod has the same one again");
  }
});

test("addresses are of the node's range, and those of nodes without one do not overlap", () => {
  const addresses = createPodAddresses();
  assert.equal(addresses.take("n", "p", "10.244.3.0/24"), "10.244.3.2");
  assert.notEqual(addresses.take("a", "p", undefined), addresses.take("b", "p", undefined));
});

test("what was given back is given again, what others hold is not", () => {
  const addresses = createPodAddresses();
  addresses.keep("n", "old", "10.244.3.2");
  assert.equal(addresses.take("n", "new", "10.244.3.0/29"), "10.244.3.3");
  for (let i = 0; i < 3; i++) addresses.take("n", `more-${i}`, "10.244.3.0/29");
  addresses.giveBack("n", "old");
  assert.equal(addresses.take("n", "next", "10.244.3.0/29"), "10.244.3.2");
});
