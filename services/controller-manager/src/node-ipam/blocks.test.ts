import assert from "node:assert/strict";
import { test } from "node:test";
import { type Network, parseNetwork } from "@orch/schema/formats/ip.js";
import { createBlocks, rangeProblem } from "./blocks.js";

function network(text: string): Network {
  const parsed = parseNetwork(text);
  assert.ok(parsed, text);
  return parsed;
}
const blocks = (range: string, bits: number) => createBlocks({ network: network(range), bits });
const taken = (of: ReturnType<typeof blocks>, count: number) => Array.from({ length: count }, () => of.take());

test("nodes get one block after the other, until there are none", () => {
  const of = blocks("10.244.0.0/16", 24);
  assert.deepEqual(taken(of, 2), ["10.244.0.0/24", "10.244.1.0/24"]);
  assert.equal(taken(of, 254).at(-1), "10.244.255.0/24");
  assert.equal(of.take(), undefined);
  of.release(network("10.244.7.0/24"));
  assert.deepEqual(taken(of, 2), ["10.244.7.0/24", undefined]);
});

test("blocks of the range of services are not given", () => {
  const of = blocks("10.0.0.0/14", 16);
  of.occupy(network("10.0.0.0/16"));
  assert.equal(of.take(), "10.1.0.0/16");
  const within = blocks("10.0.0.0/16", 24);
  within.occupy(network("10.0.0.0/8"));
  assert.equal(within.take(), undefined);
  const apart = blocks("10.0.0.0/16", 24);
  apart.occupy(network("192.168.0.0/16"));
  apart.occupy(network("fd00::/8"));
  assert.equal(apart.take(), "10.0.0.0/24");
});

test("a block that was just given back is the last to be given again", () => {
  const of = blocks("10.244.0.0/16", 24);
  const first = of.take();
  of.release(network(first ?? ""));
  assert.equal(of.take(), "10.244.1.0/24");
});

test("ranges of either family", () => {
  assert.deepEqual(taken(blocks("fd00:1::/48", 64), 2), ["fd00:1::/64", "fd00:1:0:1::/64"]);
});

const problems: readonly (readonly [range: string, bits: number, problem: RegExp | undefined])[] = [
  ["10.244.0.0/16", 24, undefined],
  ["10.0.0.0/8", 24, undefined],
  ["10.244.0.0/16", 15, /^Node mask size 15 is invalid/],
  ["10.244.0.0/16", 33, /^Node mask size 33 is invalid/],
  ["10.0.0.0/7", 24, /^New CIDR set failed; the node CIDR size is too big/],
];
for (const [range, bits, problem] of problems) {
  test(`blocks of ${bits} bits of ${range} ${problem === undefined ? "are there" : "are not"}`, () => {
    const found = rangeProblem({ network: network(range), bits });
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? "", problem);
  });
}
