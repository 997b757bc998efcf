import type { ProxyConfiguration } from "@orch/component-config/proxy/proxy-shape.js";
import { hostAndPort } from "@orch/component-config/rules-of-addresses.js";
import { durationMs } from "@orch/schema/formats/duration.js";

/** What a proxy acts by. */
export interface ProxySettings {
  readonly config: ProxyConfiguration;
  readonly mode: "iptables" | "nftables";
  /** Of the node. */
  readonly hostname: string;
  /** Milliseconds. */
  readonly syncMs: number;
  readonly minSyncMs: number;
  /** `0x4000`. */
  readonly mark: string;
  readonly masqueradesAll: boolean;
  /** Networks, or `primary`; none: all addresses. */
  readonly nodePortAddresses: readonly string[];
}

export interface Machine {
  readonly hostname: string;
  readonly platform: string;
  /** Of IPVS. */
  readonly hasIpvs: boolean;
}

export type ReadSettings =
  | { readonly ok: true; readonly settings: ProxySettings }
  | { readonly ok: false; readonly problem: string };

/** @returns a problem for a mode that cannot be used here: the proxy ends with it */
export function proxySettings(config: ProxyConfiguration, machine: Machine): ReadSettings {
  const mode = config.mode === "" ? "iptables" : config.mode;
  const refused = refusal(mode, machine) ?? gatedOff(mode, config) ?? badInterface(config);
  if (refused !== undefined) return { ok: false, problem: refused };
  const block = mode === "nftables" ? config.nftables : config.iptables;
  // The reference takes every address for granted with iptables only.
  const isEverywhere = mode === "iptables" || config.nodePortAddresses.length > 0;
  return {
    ok: true,
    settings: {
      config,
      mode: mode === "nftables" ? "nftables" : "iptables",
      hostname: (config.hostnameOverride === "" ? machine.hostname : config.hostnameOverride).trim().toLowerCase(),
      syncMs: durationMs(block.syncPeriod) ?? 30_000,
      minSyncMs: durationMs(block.minSyncPeriod) ?? 1_000,
      mark: `0x${(2 ** block.masqueradeBit).toString(16)}`,
      masqueradesAll: block.masqueradeAll,
      nodePortAddresses: isEverywhere ? config.nodePortAddresses : ["primary"],
    },
  };
}

function refusal(mode: string, { platform, hasIpvs }: Machine): string | undefined {
  if (platform === "win32") {
    return "can't use the kernelspace proxier: this release has none; run the proxy on Linux nodes";
  }
  if (platform !== "linux") return `can't use the ${mode} proxier: it needs Linux, this is ${platform}`;
  if (mode !== "ipvs") return undefined;
  const why = hasIpvs ? "this release writes no virtual servers" : "the kernel has no IPVS";
  return `can't use the IPVS proxier: ${why}; choose iptables or nftables`;
}

function gatedOff(mode: string, { featureGates }: ProxyConfiguration): string | undefined {
  const isOff = mode === "nftables" && featureGates["NFTablesProxyMode"] === false;
  return isOff ? "can't use the nftables proxier: the feature gate NFTablesProxyMode is off" : undefined;
}

/** Names of interfaces go into rules as they are. */
function badInterface({ detectLocalMode, detectLocal }: ProxyConfiguration): string | undefined {
  const { bridgeInterface, interfaceNamePrefix } = detectLocal;
  const name = { BridgeInterface: bridgeInterface, InterfaceNamePrefix: interfaceNamePrefix }[detectLocalMode];
  if (name === undefined || /^[A-Za-z0-9_.-]{1,15}$/.test(name)) return undefined;
  return `${detectLocalMode}: ${JSON.stringify(name)} is no name of an interface`;
}

/** Where it listens; `host` undefined: at every address. Checked before. */
export function listenAt(address: string): { readonly host: string; readonly port: number } {
  const { host = "", port = "0" } = hostAndPort(address) ?? {};
  return { host, port: Number(port) };
}
