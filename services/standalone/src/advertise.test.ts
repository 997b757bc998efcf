import assert from "node:assert/strict";
import { test } from "node:test";
import { advertisedAddress } from "./advertise.js";

const interfaces = {
  lo: [{ address: "127.0.0.1", internal: true }],
  eth0: [
    { address: "fe80::1", internal: false },
    { address: "192.0.2.7", internal: false },
  ],
};

const rows: readonly (readonly [told: string, bound: string, advertised: string | undefined])[] = [
  ["198.51.100.1", "127.0.0.1", "198.51.100.1"],
  ["", "192.0.2.9", "192.0.2.9"],
  ["", "0.0.0.0", "192.0.2.7"],
  ["", "::", "192.0.2.7"],
  ["", "127.0.0.1", "192.0.2.7"],
  ["", "localhost", "192.0.2.7"],
];

for (const [told, bound, advertised] of rows) {
  test(`told ${JSON.stringify(told)} and bound to ${bound}, ${advertised ?? "nothing"} is advertised`, () => {
    assert.equal(advertisedAddress(told, { bound, interfaces }), advertised);
  });
}

test("a machine that nobody else reaches advertises nothing", () => {
  assert.equal(advertisedAddress("", { bound: "127.0.0.1", interfaces: { lo: interfaces.lo } }), undefined);
});
