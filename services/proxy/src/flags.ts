import { boolFlag, durationFlag, intFlag, listFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { profilingFlag } from "@orch/runtime/flags/profiling-flag.js";

const group = "Proxy";
const minute = 60_000;

const conntrack = {
  "conntrack-max-per-core": intFlag(32_768, {
    group,
    min: 0,
    help: "connections that the kernel may track for each core; 0 leaves the limit as it is",
  }),
  "conntrack-min": intFlag(131_072, {
    group,
    min: 0,
    help: "least number of connections that the kernel may track, whatever the cores",
  }),
  "conntrack-tcp-timeout-established": durationFlag(24 * 60 * minute, {
    group,
    help: "after which an idle TCP connection is forgotten; 0 leaves it as it is",
  }),
  "conntrack-tcp-timeout-close-wait": durationFlag(60 * minute, {
    group,
    help: "after which a TCP connection in CLOSE_WAIT is forgotten; 0 leaves it as it is",
  }),
  "conntrack-tcp-be-liberal": boolFlag(false, {
    group,
    help: "let packets pass that are out of their connection's window",
  }),
  "conntrack-udp-timeout": durationFlag(0, {
    group,
    help: "after which an unanswered UDP flow is forgotten; 0 leaves it as it is",
  }),
  "conntrack-udp-timeout-stream": durationFlag(0, {
    group,
    help: "after which an answered UDP flow is forgotten; 0 leaves it as it is",
  }),
};

const backends = {
  "iptables-localhost-nodeports": boolFlag(true, {
    group,
    help: "node ports answer at the loopback address, too (iptables, IPv4)",
  }),
  "iptables-masquerade-bit": intFlag(14, {
    group,
    min: 0,
    max: 31,
    help: "bit of packets' marks by which they are masqueraded",
  }),
  "iptables-min-sync-period": durationFlag(1_000, { group, help: "least time between two writings of rules" }),
  "iptables-sync-period": durationFlag(30_000, { group, help: "longest time between two looks at the rules" }),
  "nftables-masquerade-all": boolFlag(false, {
    group,
    help: "masquerade everything that goes to a cluster address, in mode nftables",
  }),
  "nftables-masquerade-bit": intFlag(14, {
    group,
    min: 0,
    max: 31,
    help: "bit of packets' marks by which they are masqueraded, in mode nftables",
  }),
  "nftables-min-sync-period": durationFlag(1_000, {
    group,
    help: "least time between two writings of rules, in mode nftables",
  }),
  "nftables-sync-period": durationFlag(30_000, {
    group,
    help: "longest time between two looks at the rules, in mode nftables",
  }),
};

/** Nothing acts by them while that mode is refused; files that are written with them have them. */
const ipvs = {
  "ipvs-exclude-cidrs": listFlag([], { group, help: "networks whose virtual servers are left alone, in mode ipvs" }),
  "ipvs-min-sync-period": durationFlag(0, { group, help: "least time between two writings of rules, in mode ipvs" }),
  "ipvs-scheduler": stringFlag("", { group, word: "name", help: "how connections are spread, in mode ipvs" }),
  "ipvs-strict-arp": boolFlag(false, { group, help: "answer ARP for addresses of an interface alone, in mode ipvs" }),
  "ipvs-sync-period": durationFlag(30_000, {
    group,
    help: "longest time between two looks at the rules, in mode ipvs",
  }),
  "ipvs-tcp-timeout": durationFlag(0, { group, help: "after which idle TCP connections are forgotten, in mode ipvs" }),
  "ipvs-tcpfin-timeout": durationFlag(0, {
    group,
    help: "after which TCP connections that end are forgotten, in mode ipvs",
  }),
  "ipvs-udp-timeout": durationFlag(0, { group, help: "after which idle UDP flows are forgotten, in mode ipvs" }),
};

/** Flags that stand for fields of the configuration. */
export const fieldFlags = {
  "hostname-override": stringFlag("", { group, word: "name", help: "name of the node; the machine's where empty" }),
  "bind-address": stringFlag("0.0.0.0", {
    group,
    word: "address",
    help: "an address of the family that the node must have",
  }),
  "healthz-bind-address": stringFlag("", {
    group,
    word: "address",
    help: "where /healthz and /livez are served; port 10256 at every address where empty",
  }),
  "metrics-bind-address": stringFlag("", {
    group,
    word: "address",
    help: "where /metrics, /proxyMode, /configz and profiles are served; port 10249 of the loopback address where empty",
  }),
  ...profilingFlag(false),
  "bind-address-hard-fail": boolFlag(false, { group, help: "end where one of these cannot be listened at" }),
  "proxy-mode": stringFlag("", {
    group,
    word: "mode",
    help: "iptables, nftables or ipvs; the best one where empty: iptables",
  }),
  "cluster-cidr": stringFlag("", {
    group,
    word: "network",
    help: "network of pods, or one of each family: what comes from elsewhere to a cluster address is masqueraded",
  }),
  "detect-local-mode": stringFlag("ClusterCIDR", {
    group,
    word: "mode",
    help: "by what traffic of pods here is known: ClusterCIDR, NodeCIDR, BridgeInterface, InterfaceNamePrefix",
  }),
  "pod-bridge-interface": stringFlag("", { group, word: "name", help: "interface of pods, for BridgeInterface" }),
  "pod-interface-name-prefix": stringFlag("", {
    group,
    word: "prefix",
    help: "how interfaces of pods begin, for InterfaceNamePrefix",
  }),
  "nodeport-addresses": listFlag([], {
    group,
    help: "networks at whose addresses node ports are taken, or primary; everywhere where empty (nftables: primary)",
  }),
  "masquerade-all": boolFlag(false, {
    group,
    help: "masquerade everything that goes to a cluster address, in mode iptables",
  }),
  "oom-score-adj": intFlag(-999, {
    group,
    min: -1000,
    max: 1000,
    help: "how late the kernel ends this process where memory is short",
  }),
  ...conntrack,
  ...backends,
  ...ipvs,
  "config-sync-period": durationFlag(15 * minute, {
    group,
    help: "of the reference's, between two lists of everything; watches are followed here",
  }),
} as const;

/** Flags of single runs, for which no configuration has fields. */
export const runFlags = {
  cleanup: boolFlag(false, { group, help: "remove all rules of ours, whatever the mode, and end" }),
  "init-only": boolFlag(false, { group, help: "set the kernel's values, which takes rights, and end" }),
  "write-config-to": stringFlag("", { group, word: "file", help: "write the whole configuration there and end" }),
} as const;
