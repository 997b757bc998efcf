import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "@orch/runtime/clock.js";
import { createFailedLogins } from "./failed-logins.js";
import type { FailedLogins } from "./identity.js";

function setup(more: { readonly burst?: number; readonly perSecond?: number; readonly maxAddresses?: number } = {}) {
  const clock = createManualClock();
  return { clock, logins: createFailedLogins({ burst: 3, perSecond: 0.5, maxAddresses: 100, clock, ...more }) };
}

const fail = (logins: FailedLogins, address: string, times = 1): void => {
  for (let i = 0; i < times; i++) logins.failed(address);
};

const waitOf = (logins: FailedLogins, address: string): number | undefined => logins.blocked(address, "Bearer x");

test("an address has a burst of failures, then one for every interval", () => {
  const { clock, logins } = setup();
  fail(logins, "10.0.0.1", 2);
  assert.equal(waitOf(logins, "10.0.0.1"), undefined);
  fail(logins, "10.0.0.1");
  assert.equal(waitOf(logins, "10.0.0.1"), 2);
  clock.advance(1_000);
  assert.equal(waitOf(logins, "10.0.0.1"), 1);
  clock.advance(1_000);
  assert.equal(waitOf(logins, "10.0.0.1"), undefined);
  fail(logins, "10.0.0.1");
  assert.equal(waitOf(logins, "10.0.0.1"), 2);
});

test("failures of requests that were under way cost no more than the burst", () => {
  const { clock, logins } = setup();
  fail(logins, "10.0.0.1", 1_000);
  assert.equal(waitOf(logins, "10.0.0.1"), 2);
  clock.advance(6_000);
  fail(logins, "10.0.0.1", 2);
  assert.equal(waitOf(logins, "10.0.0.1"), undefined, "a whole burst is back, and no more than that");
  clock.advance(3_600_000);
  fail(logins, "10.0.0.1", 3);
  assert.equal(waitOf(logins, "10.0.0.1"), 2);
});

const neighbours: ReadonlyArray<readonly [title: string, failing: string, other: string, blocked: boolean]> = [
  ["another IPv4 address", "10.0.0.1", "10.0.0.2", false],
  ["the same address as IPv6 writes it", "10.0.0.1", "::ffff:10.0.0.1", true],
  ["another address as IPv6 writes it", "::ffff:10.0.0.1", "::ffff:10.0.0.2", false],
  ["an IPv6 address of the same network", "2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true],
  ["the same in full and in capitals", "2001:db8:1:2::1", "2001:0DB8:0001:0002:0:0:0:7", true],
  ["an IPv6 address of the next network", "2001:db8:1:2::1", "2001:db8:1:3::1", false],
  ["one whose network ends in zeros", "2001:db8::1", "2001:db8:0:0:8::", true],
  ["one with its zone", "fe80::1%eth0", "fe80::2%eth1", true],
  ["loopback and another", "::1", "2001:db8::1", false],
  ["no address: the client has gone", "", "10.0.0.1", false],
];
for (const [title, failing, other, blocked] of neighbours) {
  test(`who fails ${blocked ? "blocks" : "does not block"} ${title}`, () => {
    const { logins } = setup();
    fail(logins, failing, 3);
    assert.notEqual(waitOf(logins, failing), undefined);
    assert.equal(waitOf(logins, other) !== undefined, blocked);
  });
}

test("many addresses take no more memory than allowed, and who keeps on failing is not forgotten", () => {
  const { logins } = setup({ maxAddresses: 50 });
  fail(logins, "10.9.9.9", 3);
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200_000; i++) {
    logins.failed(`10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`);
    if (i % 20 === 0) assert.notEqual(waitOf(logins, "10.9.9.9"), undefined);
  }
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 30 * 1024 * 1024, `${grown} bytes`);
  assert.equal(waitOf(logins, "10.0.0.5"), undefined, "the quiet ones were forgotten");
});

test("whose failures are forgiven takes no place", () => {
  const { clock, logins } = setup({ maxAddresses: 1 });
  fail(logins, "10.0.0.1");
  clock.advance(60_000);
  assert.equal(waitOf(logins, "10.0.0.1"), undefined);
  assert.equal(waitOf(logins, "10.0.0.2"), undefined);
});

test("without a rate nobody has to wait", () => {
  const { logins } = setup({ perSecond: 0 });
  fail(logins, "10.0.0.1", 100);
  assert.equal(waitOf(logins, "10.0.0.1"), undefined);
});

test("who was let in meanwhile is not held up by others behind the same address", () => {
  const { clock, logins } = setup();
  logins.worked("Bearer early");
  fail(logins, "10.0.0.1");
  logins.worked("Bearer good");
  fail(logins, "10.0.0.1", 5);
  assert.equal(logins.blocked("10.0.0.1", "Bearer good"), undefined);
  assert.equal(logins.blocked("10.0.0.1", "Bearer bad"), 2);
  assert.equal(logins.blocked("10.0.0.1", "Bearer early"), 2, "nothing is remembered while nobody fails");
  clock.advance(61_000);
  logins.worked("Bearer late");
  fail(logins, "10.0.0.1", 3);
  assert.notEqual(logins.blocked("10.0.0.1", "Bearer late"), undefined, "nor long after");
});
