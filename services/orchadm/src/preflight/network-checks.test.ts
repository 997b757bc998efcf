import assert from "node:assert/strict";
import { test } from "node:test";
import { directHost, directNetworks, forwarding } from "./network-checks.js";
import { doubtful, type Finding, wrong } from "./preflight.js";

const HTTPS_PROXY = "http://user:secret@proxy.example:3128";
const shown = '"http://user:xxxxx@proxy.example:3128"';

const hosts: readonly (readonly [host: string, environment: Readonly<Record<string, string>>, found: Finding[]])[] = [
  [
    "10.0.0.5",
    { HTTPS_PROXY },
    [
      doubtful(
        `Connection to "https://10.0.0.5" uses proxy ${shown}. If that is not intended, adjust your proxy settings`,
      ),
    ],
  ],
  [
    "fd00::5",
    { HTTPS_PROXY },
    [
      doubtful(
        `Connection to "https://[fd00::5]:1234" uses proxy ${shown}. If that is not intended, adjust your proxy settings`,
      ),
    ],
  ],
  ["10.0.0.5", { HTTPS_PROXY, NO_PROXY: "10.0.0.0/24" }, []],
  ["api.example", { HTTPS_PROXY, NO_PROXY: ".example" }, []],
  ["a b", {}, [wrong('"https://a b" is no address')]],
];
for (const [host, environment, found] of hosts) {
  test(`the way to ${host}, NO_PROXY=${environment["NO_PROXY"] ?? ""}: ${found.length} found`, async () => {
    const check = directHost(host, environment);
    assert.equal(check.name, "HTTPProxy");
    assert.deepEqual(await check.find(), found);
  });
}

test("each network of a list is looked at by its first address", async () => {
  const environment = { HTTPS_PROXY: "proxy.example:3128", NO_PROXY: "10.96.0.1" };
  const checks = directNetworks("10.96.0.0/12,fd00::/112", environment);
  assert.deepEqual(
    checks.map(({ name }) => name),
    ["HTTPProxyCIDR", "HTTPProxyCIDR"],
  );
  const found = await Promise.all(checks.map(({ find }) => find()));
  assert.deepEqual(found, [
    [],
    [
      doubtful(
        'connection to "fd00::/112" uses proxy "http://proxy.example:3128". This may lead to malfunctional cluster setup. Make sure that Pod and Services IP ranges specified correctly as exceptions in proxy configuration',
      ),
    ],
  ]);
  assert.deepEqual(directNetworks("", environment), []);
});

const four = "/proc/sys/net/ipv4/ip_forward";
const six = "/proc/sys/net/ipv6/conf/default/forwarding";
const kernels: readonly (readonly [
  what: string,
  files: Readonly<Record<string, string>>,
  addresses: readonly string[],
  isNeeded: boolean,
  found: Readonly<Record<string, readonly Finding[]>>,
])[] = [
  ["on", { [four]: "1\n" }, ["10.0.0.5"], true, { "FileContent--proc-sys-net-ipv4-ip_forward": [] }],
  [
    "off, and pods run here",
    { [four]: "0\n" },
    ["10.0.0.5", "10.96.0.0/12"],
    true,
    { "FileContent--proc-sys-net-ipv4-ip_forward": [wrong(`${four} contents are not set to 1`)] },
  ],
  [
    "off, and nothing may need it",
    { [four]: "0\n" },
    ["10.0.0.5"],
    false,
    { "FileContent--proc-sys-net-ipv4-ip_forward": [doubtful(`${four} contents are not set to 1`)] },
  ],
  [
    "not there",
    {},
    ["10.0.0.5"],
    true,
    { "FileContent--proc-sys-net-ipv4-ip_forward": [wrong(`${four} does not exist`)] },
  ],
  [
    "off for one family of two",
    { [four]: "1\n", [six]: "0\n" },
    ["10.96.0.0/12,fd00::/112", "", "10.0.0.5"],
    true,
    {
      "FileContent--proc-sys-net-ipv4-ip_forward": [],
      "FileContent--proc-sys-net-ipv6-conf-default-forwarding": [wrong(`${six} contents are not set to 1`)],
    },
  ],
  ["nobody's: a name has no family", {}, ["api.example"], true, {}],
];
for (const [what, files, addresses, isNeeded, expected] of kernels) {
  test(`forwarding is ${what}`, async () => {
    const machine = { exists: (path: string) => path in files, read: (path: string) => files[path] ?? "" };
    const checks = forwarding({ machine, addresses, isNeeded });
    const found = await Promise.all(checks.map(async ({ name, find }) => [name, await find()] as const));
    assert.deepEqual(Object.fromEntries(found), expected);
  });
}
