import assert from "node:assert/strict";
import { test } from "node:test";
import { formatNetwork } from "@orch/schema/formats/ip.js";
import { advertiseAddressFlag, readNetworks, readPorts } from "./flags.js";

const range = "service-cluster-ip-range";
const networks: readonly (readonly [given: string, read: string])[] = [
  ["", "10.0.0.0/24"],
  ["10.96.0.0/12", "10.96.0.0/12"],
  ["10.1.2.3/16, fd00::/108", "10.1.0.0/16,fd00::/108"],
  ["fd00::/112,10.0.0.0/29", "fd00::/112,10.0.0.0/29"],
  ["10.0.0.0", `${range}[0] is not a valid cidr`],
  ["10.0.0.0/24,x", `${range}[1] is not an ip net`],
  ["10.0.0.0/24,", `${range}[1] is not an ip net`],
  ["10.0.0.0/24,fd00::/108,10.1.0.0/24", `--${range} must not contain more than two entries`],
  ["10.0.0.0/24,10.1.0.0/24", `--${range}[0] and --${range}[1] must be of different IP family`],
  ["10.0.0.0/11", `specified --${range} is too large; for 32-bit addresses, the mask must be >= 12`],
  ["10.0.0.0/24,fd00::/64", `specified --${range}[1] is too large; for 128-bit addresses, the mask must be >= 108`],
  [
    "10.0.0.0/30",
    "error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses",
  ],
];

for (const [given, wanted] of networks) {
  test(`service addresses ${JSON.stringify(given)}: ${wanted}`, () => {
    const read = readNetworks(given);
    assert.equal(read.ok ? read.value.map(formatNetwork).join(",") : read.problem, wanted);
  });
}

const ports: readonly (readonly [given: string, read: string])[] = [
  ["", "30000-32767"],
  ["20000-20100", "20000-20100"],
  [" 20000-20100 ", "20000-20100"],
  ["20000+100", "20000-20100"],
  ["20000", "20000-20000"],
  ["20100-20000", "end port cannot be less than start port: 20100-20000"],
  ["60000-70000", "the port range cannot be greater than 65535: 60000-70000"],
  ["1-2-3", "unable to parse port range: 1-2-3"],
  ["1-2+3", "unable to parse port range: 1-2+3"],
  ["a-b", 'parsing "a": invalid syntax'],
  ["-5", 'parsing "": invalid syntax'],
];

for (const [given, wanted] of ports) {
  test(`node ports ${JSON.stringify(given)}: ${wanted}`, () => {
    const read = readPorts(given);
    assert.equal(read.ok ? `${read.value.first}-${read.value.last}` : read.problem, wanted);
  });
}

test("an address is advertised only if an endpoint can have it", () => {
  for (const good of ["", "192.0.2.1", "fd00::1"])
    assert.deepEqual(advertiseAddressFlag.read(good, undefined), { ok: true, value: good });
  for (const bad of ["x", "127.0.0.1", "0.0.0.0", "::1"])
    assert.equal(advertiseAddressFlag.read(bad, undefined).ok, false, bad);
});
