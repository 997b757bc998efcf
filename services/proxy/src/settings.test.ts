import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { type FlagTexts, readProxy } from "./configuration-file.js";
import { proxySettings } from "./settings.js";

const parts = { naming: createNaming("orch"), windows: false };
const linux = { hostname: "Node-A", platform: "linux", hasIpvs: false };

function settingsOf(flags: FlagTexts, machine = linux) {
  const read = readProxy([], flags, parts);
  assert.ok(read.ok, JSON.stringify(read));
  return proxySettings(read.config, machine);
}

describe("settings", () => {
  test("iptables are the default, with node ports at every address", () => {
    const read = settingsOf({});
    assert.ok(read.ok);
    const { mode, hostname, mark, syncMs, minSyncMs, nodePortAddresses } = read.settings;
    assert.deepEqual([mode, hostname, mark], ["iptables", "node-a", "0x4000"]);
    assert.deepEqual([syncMs, minSyncMs, nodePortAddresses], [30_000, 1_000, []]);
  });
  test("with nftables they are at the node's own address", () => {
    const read = settingsOf({ "proxy-mode": "nftables", "nftables-masquerade-bit": 31, "nftables-sync-period": "10s" });
    assert.ok(read.ok);
    assert.deepEqual(read.settings.nodePortAddresses, ["primary"]);
    assert.deepEqual([read.settings.mark, read.settings.syncMs], ["0x80000000", 10_000]);
  });
  test("gates are those of the release, and one of them turns nftables off", () => {
    const file = (gates: string): string =>
      `apiVersion: orchproxy.config.orch/v1alpha1\nkind: OrchProxyConfiguration\nmode: nftables\nfeatureGates: ${gates}\n`;
    const unknown = readProxy([file("{Warp: true}")], {}, parts);
    assert.match(unknown.ok ? "" : unknown.problems.join(), /featureGates: .*: unrecognized feature gate: Warp$/);
    const settingsWith = (gates: string) => {
      const read = readProxy([file(gates)], {}, parts);
      assert.ok(read.ok, JSON.stringify(read));
      return proxySettings(read.config, linux);
    };
    assert.equal(settingsWith("{NFTablesProxyMode: true, MultiCIDRServiceAllocator: false, AllBeta: true}").ok, true);
    const off = settingsWith("{NFTablesProxyMode: false}");
    assert.match(
      off.ok ? "" : off.problem,
      /can't use the nftables proxier: the feature gate NFTablesProxyMode is off/,
    );
  });
  test("blocks of other modes have flags too", () => {
    const flags: FlagTexts = {
      "ipvs-scheduler": "wrr",
      "ipvs-exclude-cidrs": ["10.0.0.0/8"],
      "config-sync-period": "1m0s",
    };
    const read = readProxy([], { ...flags, "ipvs-tcp-timeout": "5s" }, parts);
    assert.ok(read.ok, JSON.stringify(read));
    const { ipvs, configSyncPeriod } = read.config;
    assert.deepEqual(
      [ipvs.scheduler, ipvs.excludeCIDRs, ipvs.tcpTimeout, configSyncPeriod],
      ["wrr", ["10.0.0.0/8"], "5s", "1m0s"],
    );
  });
  const refused: readonly (readonly [string, FlagTexts, typeof linux, RegExp])[] = [
    [
      "ipvs without a kernel for it",
      { "proxy-mode": "ipvs" },
      linux,
      /can't use the IPVS proxier: the kernel has no IPVS/,
    ],
    ["ipvs with one", { "proxy-mode": "ipvs" }, { ...linux, hasIpvs: true }, /writes no virtual servers/],
    ["Windows", {}, { ...linux, platform: "win32" }, /can't use the kernelspace proxier/],
    ["other systems", {}, { ...linux, platform: "darwin" }, /it needs Linux, this is darwin/],
    [
      "a name of an interface that is none",
      { "detect-local-mode": "BridgeInterface", "pod-bridge-interface": 'br0" drop' },
      linux,
      /no name of an interface/,
    ],
  ];
  for (const [what, flags, machine, problem] of refused) {
    test(`${what} is refused`, () => {
      const read = settingsOf(flags, machine);
      assert.match(read.ok ? "" : read.problem, problem);
    });
  }
});

describe("the configuration file", () => {
  const file = `
apiVersion: orchproxy.config.orch/v1alpha1
kind: OrchProxyConfiguration
mode: nftables
clusterCIDR: 10.0.0.0/8
nftables: {syncPeriod: 20s}
`;
  test("flags win over its fields", () => {
    const read = readProxy([file], { "cluster-cidr": "10.1.0.0/16", "nodeport-addresses": ["primary"] }, parts);
    assert.ok(read.ok);
    const { mode, clusterCIDR, nftables, nodePortAddresses } = read.config;
    assert.deepEqual([mode, clusterCIDR, nftables.syncPeriod], ["nftables", "10.1.0.0/16", "20s"]);
    assert.deepEqual(nodePortAddresses, ["primary"]);
  });
  test("profiling is off unless the file or a flag enables it", () => {
    const enabled = (text: string, flags: FlagTexts): boolean | undefined => {
      const read = readProxy([`${file}${text}`], flags, parts);
      return read.ok ? read.config.enableProfiling : undefined;
    };
    assert.equal(enabled("", {}), false);
    assert.equal(enabled("enableProfiling: true\n", {}), true);
    assert.equal(enabled("enableProfiling: true\n", { profiling: false }), false);
    assert.equal(enabled("", { profiling: true }), true);
  });
  test("a wrong value is told with its path", () => {
    const read = readProxy([file], { "cluster-cidr": "nonsense" }, parts);
    assert.match(
      read.ok ? "" : read.problems.join(),
      /^OrchProxyConfiguration\.ClusterCIDR: Invalid value: "nonsense"/,
    );
    const other = readProxy([file.replace("mode: nftables", "mode: fast")], {}, parts);
    assert.match(other.ok ? "" : other.problems.join(), /OrchProxyConfiguration\.Mode\.ProxyMode/);
  });
});
