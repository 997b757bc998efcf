import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { durationMs, formatDuration, formatMs, parseDuration } from "./duration.js";
import {
  cidr,
  formatAddress,
  formatNetwork,
  includesAddress,
  ip,
  ipv4,
  ipv6,
  ordinaryAddress,
  parseAddress,
  parseNetwork,
  strictlyContains,
} from "./ip.js";
import * as names from "./names.js";
import { canonicalMicroTime, canonicalTime } from "./time.js";

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const namePartRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

for (const [what, given, expected] of [
  ["a subdomain", names.dnsSubdomain("a.b-c.d1"), []],
  ["a subdomain of wrong form", names.dnsSubdomain("A_b"), [subdomainRule]],
  ["a subdomain too long", names.dnsSubdomain("a".repeat(254)), ["must be no more than 253 characters"]],
  ["a subdomain with an empty label", names.dnsSubdomain("a..b"), [subdomainRule]],
  ["a name", names.qualifiedName("a.b/C_d"), []],
  ["a name of wrong form", names.qualifiedName("a b"), [namePartRule]],
  ["an empty name", names.qualifiedName(""), ["name part must be non-empty", namePartRule]],
  ["a name without its prefix", names.qualifiedName("/a"), ["prefix part must be non-empty"]],
  ["an empty label value", names.labelValue(""), []],
  ["a label value too long", names.labelValue("a".repeat(64)), ["must be no more than 63 characters"]],
  ["a percentage", names.percent("25%"), []],
  [
    "a percentage without its sign",
    names.percent("25"),
    [
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ],
  ],
  ["a condition's reason", names.conditionReason("NotReady"), []],
  ["a condition's reason of one letter", names.conditionReason("A"), []],
  [
    "a condition's reason of two words",
    names.conditionReason("not ready"),
    [
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')",
    ],
  ],
  ["a port name", names.portName("http-2"), []],
  ["a port name without letters", names.portName("80"), ["must contain at least one letter (a-z)"]],
  ["a port number", names.portNumber(0), ["must be between 1 and 65535, inclusive"]],
  ["a config key", names.configKey("a.b_C-1"), []],
  ["a C identifier", names.cIdentifier("_a1"), []],
  [
    "a C identifier that starts with a number",
    names.cIdentifier("1a"),
    [
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
    ],
  ],
  ["a config key that climbs", names.configKey("..a"), ["must not start with '..'"]],
  ["a path segment", names.pathSegment("a:b"), []],
  ["a path segment with a slash", names.pathSegment("a/b"), ["may not contain '/'"]],
  ["a path segment with a NUL", names.pathSegment("a\0b"), ["may not contain '\\x00'"]],
  ["a relative path that climbs", names.relativePath("a/../b"), ["must not contain '..'"]],
  ["a domain with a star", names.wildcardSubdomain("*.a.b"), []],
  ["a bare star", names.wildcardSubdomain("*").map((p) => p.slice(0, 20)), ["a wildcard DNS-1123 "]],
  ["a domain-prefixed path", names.domainPrefixedPath("a.b/c/d"), []],
  [
    "a path without a domain",
    names.domainPrefixedPath("/c"),
    ['must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    "a path with a space",
    names.domainPrefixedPath("a.b/c d"),
    ["Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"],
  ],
  ["a network", cidr("10.0.0.0/8"), []],
  ["a network without bits", cidr("10.0.0.0"), ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"]],
  ["an IPv4 address", ip("10.0.0.1"), []],
  ["an address", ip("10.0.0"), ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]],
  ["an IPv6 address among IPv4", ipv4("::1"), ["must be a valid IPv4 address"]],
  ["an IPv4 address among IPv6", ipv6("1.2.3.4"), ["must be a valid IPv6 address"]],
  ["the loopback", ordinaryAddress("127.0.0.1"), ["may not be in the loopback range (127.0.0.0/8, ::1/128)"]],
  ["nobody's address", ordinaryAddress("::"), ["may not be unspecified (::)"]],
  [
    "a link's own address",
    ordinaryAddress("fe80::1"),
    ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  ],
  [
    "a link's own group",
    ordinaryAddress("224.0.0.1"),
    ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
  ],
  ["an ordinary address", ordinaryAddress("2001:db8::1"), []],
] as const) {
  test(`${what} gets the reference's sentences`, () => assert.deepEqual(given, expected));
}

test("no name makes a check slow", () => {
  const start = process.cpuUsage().user;
  names.dnsSubdomain(`${"a-".repeat(100_000)}!`);
  names.qualifiedName(`${"a.".repeat(100_000)}!`);
  assert.ok(process.cpuUsage().user - start < 5_000_000);
});

test("a prefix may end in a dash", () => {
  assert.deepEqual(names.dnsSubdomain(names.asPrefix("web-")), []);
  assert.deepEqual(names.dnsSubdomain(names.asPrefix("Bad_")), [subdomainRule]);
});

for (const [text, canonical] of [
  ["1.2.3.4", "1.2.3.4"],
  ["::", "::"],
  ["::1", "::1"],
  ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
] as const) {
  test(`the address ${text} is written ${canonical}`, () => {
    const address = parseAddress(text);
    assert.ok(address);
    assert.equal(formatAddress(address), canonical);
  });
}

for (const text of ["", "1.2.3", "256.1.1.1", ":::", "1::2::3", "1:2:3:4:5:6:7:8:9", "g::", "1.2.3.4::", "1:2"]) {
  test(`${JSON.stringify(text)} is no address`, () => assert.equal(parseAddress(text), undefined));
}

test("an address written and read again is the same", () => {
  const bytes = (n: number) => fc.array(fc.constantFrom(0, 0, 1, 255), { minLength: n, maxLength: n });
  fc.assert(
    // An IPv4 address mapped into IPv6 is by definition the IPv4 one, and so no address of 16 bytes.
    fc.property(
      fc.oneof(
        bytes(4),
        bytes(16).filter((b) => parseAddress(formatAddress(b))?.length === 16),
      ),
      (address) => {
        const text = formatAddress(address);
        assert.deepEqual(parseAddress(text), address);
      },
    ),
  );
});

test("a network is an address and a length", () => {
  assert.deepEqual(parseNetwork("10.0.0.0/8"), { address: [10, 0, 0, 0], bits: 8 });
  for (const text of ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "/8"]) assert.equal(parseNetwork(text), undefined);
});

for (const [text, seconds, micro] of [
  ["2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.000000Z"],
  ["2024-01-02T03:04:05.1234567+01:00", "2024-01-02T02:04:05Z", "2024-01-02T02:04:05.123456Z"],
  ["2023-12-31T23:30:00-01:00", "2024-01-01T00:30:00Z", "2024-01-01T00:30:00.000000Z"],
  ["2023-02-29T00:00:00Z", undefined, undefined],
  ["2024-01-02", undefined, undefined],
  ["2024-01-02T25:00:00Z", undefined, undefined],
] as const) {
  test(`the time ${text} is ${seconds}`, () => {
    assert.equal(canonicalTime(text), seconds);
    assert.equal(canonicalMicroTime(text), micro);
  });
}

for (const [text, canonical] of [
  ["60s", "1m0s"],
  ["1h", "1h0m0s"],
  ["1.5h", "1h30m0s"],
  ["1500us", "1.5ms"],
  ["-2s", "-2s"],
  ["0", "0s"],
  ["100ns", "100ns"],
] as const) {
  test(`the duration ${text} is written ${canonical}`, () => {
    assert.equal(formatDuration(parseDuration(text) ?? -1n), canonical);
  });
}

test("what has no unit is no duration", () => {
  for (const text of ["", "5", "s", "1d", "1h 2m", "99999999999h"]) assert.equal(parseDuration(text), undefined);
});

test("durations are read and printed as Go does", () => {
  const rows: readonly (readonly [string, number, string])[] = [
    ["0", 0, "0s"],
    ["10s", 10_000, "10s"],
    ["1m30s", 90_000, "1m30s"],
    ["1.5h", 5_400_000, "1h30m0s"],
    ["250ms", 250, "250ms"],
    ["1h", 3_600_000, "1h0m0s"],
    ["-2s", -2000, "-2s"],
    ["1s500ms", 1500, "1.5s"],
  ];
  for (const [text, ms, printed] of rows) {
    assert.equal(durationMs(text), ms);
    assert.equal(formatMs(ms), printed);
  }
  for (const text of ["", "10", "s", "1 s", "1d", "1m-3s", "1..5s", ".", `${"9".repeat(80)}s`])
    assert.equal(durationMs(text), undefined, text);
});

for (const [text, canonical] of [
  ["10.1.2.3/8", "10.0.0.0/8"],
  ["10.1.2.3/12", "10.0.0.0/12"],
  ["10.1.255.3/18", "10.1.192.0/18"],
  ["10.1.2.3/32", "10.1.2.3/32"],
  ["10.1.2.3/0", "0.0.0.0/0"],
  ["2001:DB8::1/64", "2001:db8::/64"],
] as const) {
  test(`${text} is the network ${canonical}`, () => {
    const network = parseNetwork(text);
    assert.equal(network && formatNetwork(network), canonical);
  });
}

for (const [outer, inner, expected] of [
  ["10.0.0.0/8", "10.1.0.0/16", true],
  ["10.0.0.0/8", "10.0.0.0/8", false],
  ["10.0.0.0/12", "10.16.0.0/16", false],
  ["10.0.0.0/16", "10.0.0.0/8", false],
  ["0.0.0.0/0", "::/1", false],
] as const) {
  test(`${outer} holds ${inner} and more: ${expected}`, () => {
    const [a, b] = [parseNetwork(outer), parseNetwork(inner)];
    assert.equal(a && b && strictlyContains(a, b), expected);
  });
}

for (const [network, address, expected] of [
  ["10.1.2.3/8", "10.255.0.1", true],
  ["10.0.0.5/32", "10.0.0.5", true],
  ["10.0.0.5/32", "10.0.0.4", false],
  ["10.0.0.0/12", "10.16.0.0", false],
  ["0.0.0.0/0", "::1", false],
  ["fd00::/8", "fdff::1", true],
  ["10.0.0.0/8", "::ffff:10.0.0.1", true],
] as const) {
  test(`${address} is one of ${network}: ${expected}`, () => {
    const [a, b] = [parseNetwork(network), parseAddress(address)];
    assert.equal(a && b && includesAddress(a, b), expected);
  });
}
