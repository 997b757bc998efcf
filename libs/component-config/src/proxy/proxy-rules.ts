import { cidr } from "@orch/schema/formats/ip.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { member, nanoseconds, unless, within } from "../rules.js";
import { hostAndPort, isAddress, isDualStack, isPort, networksOf } from "../rules-of-addresses.js";
import type { ProxyConfiguration } from "./proxy-shape.js";

export interface ProxyRules {
  /** The kind, at which every path begins. */
  readonly root: string;
  readonly windows: boolean;
  /** Names of feature gates; absent: nobody looks at them. */
  readonly gates?: ReadonlySet<string> | undefined;
}

/** Paths are the reference's: its names of members, not those of the file. */
export function checkProxy(config: ProxyConfiguration, { root, windows, gates }: ProxyRules): readonly FieldError[] {
  const { mode } = config;
  return [
    ...checkMasquerade(config.iptables, `${root}.KubeProxyIPTablesConfiguration`),
    ...(mode === "ipvs" ? checkIpvs(config.ipvs, `${root}.KubeProxyIPVSConfiguration`) : []),
    ...(mode === "nftables" ? checkMasquerade(config.nftables, `${root}.KubeProxyNFTablesConfiguration`) : []),
    ...checkConntrack(config.conntrack, `${root}.KubeProxyConntrackConfiguration`),
    ...checkMode(mode, `${root}.Mode.ProxyMode`, windows),
    ...within(`${root}.ClientConnection.Burst`, config.clientConnection.burst, {
      min: 0,
      says: "must be greater than or equal to 0",
    }),
    ...within(`${root}.OOMScoreAdj`, config.oomScoreAdj, {
      min: -1000,
      max: 1000,
      says: "must be within the range [-1000, 1000]",
    }),
    ...positive(`${root}.ConfigSyncPeriod`, config.configSyncPeriod),
    ...unless(isAddress(config.bindAddress), () =>
      fieldError.invalid(
        `${root}.BindAddress`,
        config.bindAddress,
        "not a valid textual representation of an IP address",
      ),
    ),
    ...checkHostPort(config.healthzBindAddress, `${root}.HealthzBindAddress`),
    ...checkHostPort(config.metricsBindAddress, `${root}.MetricsBindAddress`),
    ...checkClusterCidr(config.clusterCIDR, `${root}.ClusterCIDR`),
    ...unless(isPortRange(config.portRange), () =>
      fieldError.invalid(`${root}.PortRange`, config.portRange, "must be a valid port range (e.g. 300-2000)"),
    ),
    ...checkNodePorts(config.nodePortAddresses, `${root}.NodePortAddresses`),
    ...checkHiddenMetrics(config.showHiddenMetricsForVersion, `${root}.ShowHiddenMetricsForVersion`),
    ...checkDetection(config, root),
    ...Object.keys(config.featureGates)
      .filter((name) => gates?.has(name) === false)
      .map((name) =>
        fieldError.invalid(`${root}.featureGates`, config.featureGates, `unrecognized feature gate: ${name}`),
      ),
  ];
}

const positive = (field: string, value: string): readonly FieldError[] =>
  unless(nanoseconds(value) > 0n, () => fieldError.invalid(field, value, "must be greater than 0"));

const notNegative = (field: string, value: string): readonly FieldError[] =>
  unless(nanoseconds(value) >= 0n, () => fieldError.invalid(field, value, "must be greater than or equal to 0"));

interface Periods {
  readonly syncPeriod: string;
  readonly minSyncPeriod: string;
}

const checkPeriods = ({ syncPeriod, minSyncPeriod }: Periods, at: string): readonly FieldError[] => [
  ...positive(`${at}.SyncPeriod`, syncPeriod),
  ...notNegative(`${at}.MinSyncPeriod`, minSyncPeriod),
  ...unless(nanoseconds(minSyncPeriod) <= nanoseconds(syncPeriod), () =>
    fieldError.invalid(`${at}.SyncPeriod`, minSyncPeriod, `must be greater than or equal to ${at}.MinSyncPeriod`),
  ),
];

const checkMasquerade = (block: Periods & { readonly masqueradeBit: number }, at: string): readonly FieldError[] => [
  ...within(`${at}.MasqueradeBit`, block.masqueradeBit, { min: 0, max: 31, says: "must be within the range [0, 31]" }),
  ...checkPeriods(block, at),
];

const checkIpvs = (block: ProxyConfiguration["ipvs"], at: string): readonly FieldError[] => [
  ...checkPeriods(block, at),
  ...notNegative(`${at}.TCPTimeout`, block.tcpTimeout),
  ...notNegative(`${at}.TCPFinTimeout`, block.tcpFinTimeout),
  ...notNegative(`${at}.UDPTimeout`, block.udpTimeout),
  ...block.excludeCIDRs.flatMap((text, i) => checkCidr(text, `${at}.ExcludeCidrs[${i}]`)),
];

const checkCidr = (text: string, field: string): readonly FieldError[] =>
  unless(cidr(text).length === 0, () => fieldError.invalid(field, text, "must be a valid CIDR"));

const checkConntrack = (block: ProxyConfiguration["conntrack"], at: string): readonly FieldError[] => [
  ...within(`${at}.MaxPerCore`, block.maxPerCore, { min: 0, says: "must be greater than or equal to 0" }),
  ...within(`${at}.Min`, block.min, { min: 0, says: "must be greater than or equal to 0" }),
  ...notNegative(`${at}.TCPEstablishedTimeout`, block.tcpEstablishedTimeout),
  ...notNegative(`${at}.TCPCloseWaitTimeout`, block.tcpCloseWaitTimeout),
  ...notNegative(`${at}.UDPTimeout`, block.udpTimeout),
  ...notNegative(`${at}.UDPStreamTimeout`, block.udpStreamTimeout),
];

function checkMode(mode: string, field: string, windows: boolean): readonly FieldError[] {
  const known = windows ? ["", "kernelspace"] : ["", "iptables", "ipvs", "nftables"];
  const says = windows
    ? "must be kernelspace or blank (blank means the most-available proxy [currently 'kernelspace'])"
    : "must be iptables, ipvs, nftables or blank (blank means the best-available proxy [currently iptables])";
  return unless(known.includes(mode), () => fieldError.invalid(field, mode, says));
}

function checkHostPort(text: string, field: string): readonly FieldError[] {
  const parts = hostAndPort(text);
  if (parts === undefined) return [fieldError.invalid(field, text, "must be IP:port")];
  return [
    ...unless(isAddress(parts.host), () => fieldError.invalid(field, parts.host, "must be a valid IP")),
    ...unless(isPort(parts.port), () => fieldError.invalid(field, parts.port, "must be a valid port")),
  ];
}

function checkClusterCidr(text: string, field: string): readonly FieldError[] {
  if (text === "") return [];
  const networks = networksOf(text) ?? [];
  if (!text.includes(",")) {
    const says = "must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)";
    return unless(networks.length === 1, () => fieldError.invalid(field, text, says));
  }
  const says = "must be a either a single CIDR or dual-stack pair of CIDRs (e.g. [10.100.0.0/16, fde4:8dba:82e1::/48]";
  return unless(isDualStack(networks), () => fieldError.invalid(field, text, says));
}

/** `300-2000`, `300+20`, `300` or nothing; nobody uses it. */
function isPortRange(text: string): boolean {
  const isNumber = (part: string): boolean => /^\d{1,5}$/.test(part) && Number(part) <= 65_535;
  const [low = "", high, ...rest] = text.trim().split(/[-+]/);
  if (text.trim() === "") return true;
  if (rest.length > 0 || !isNumber(low)) return false;
  if (high === undefined) return true;
  return isNumber(high) && (text.includes("+") ? Number(low) + Number(high) <= 65_535 : Number(low) <= Number(high));
}

function checkNodePorts(addresses: readonly string[], at: string): readonly FieldError[] {
  return addresses.flatMap((text, i) => {
    if (text !== "primary") return checkCidr(text, `${at}[${i}]`);
    const says = "can't use both 'primary' and CIDRs";
    return unless(addresses.length === 1, () => fieldError.invalid(`${at}[${i}]`, text, says));
  });
}

/** Of the release before this one. */
const previousMinor = "1.31";

const checkHiddenMetrics = (text: string, field: string): readonly FieldError[] =>
  unless(text === "" || text === previousMinor, () =>
    fieldError.invalid(
      field,
      text,
      `must be omitted or have the value '${previousMinor}'. Only the previous minor version is allowed`,
    ),
  );

const localModes = ["ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix", ""];

function checkDetection({ detectLocalMode: mode, detectLocal }: ProxyConfiguration, root: string) {
  const needed = (name: string, value: string): readonly FieldError[] =>
    unless(value !== "", () =>
      fieldError.invalid(`${root}.DetectLocalConfiguration.${name}`, value, "must not be empty"),
    );
  return [
    ...member(`${root}.DetectLocalMode`, mode, localModes),
    ...(mode === "BridgeInterface" ? needed("InterfaceName", detectLocal.bridgeInterface) : []),
    ...(mode === "InterfaceNamePrefix" ? needed("InterfacePrefix", detectLocal.interfaceNamePrefix) : []),
  ];
}
