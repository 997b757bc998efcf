import type { Naming } from "@orch/naming/naming.js";
import { bool, duration, given, inside, int32, kind, list, map, struct, text, texts, type ValueOf } from "../shape.js";
import { clientConnection } from "../shared/shared.js";

const bufferedOutput = struct("OutputRoutingOptions", { splitStream: bool(), infoBufferSize: text("0") });

const logging = struct("LoggingConfiguration", {
  format: text("text"),
  flushFrequency: duration("5s"),
  verbosity: int32(),
  vmodule: list(struct("VModuleItem", { filePattern: text(), verbosity: int32() })),
  options: inside(struct("FormatOptions", { text: inside(bufferedOutput), json: inside(bufferedOutput) })),
});

const iptables = struct("ProxyIPTablesConfiguration", {
  masqueradeBit: given(int32(14)),
  masqueradeAll: bool(),
  localhostNodePorts: given(bool(true)),
  syncPeriod: duration("30s"),
  minSyncPeriod: duration("1s"),
});

const ipvs = struct("ProxyIPVSConfiguration", {
  syncPeriod: duration("30s"),
  minSyncPeriod: duration(),
  scheduler: text(),
  excludeCIDRs: texts(),
  strictARP: bool(),
  tcpTimeout: duration(),
  tcpFinTimeout: duration(),
  udpTimeout: duration(),
});

const nftables = struct("ProxyNFTablesConfiguration", {
  masqueradeBit: given(int32(14)),
  masqueradeAll: bool(),
  syncPeriod: duration("30s"),
  minSyncPeriod: duration("1s"),
});

const winkernel = struct("ProxyWinkernelConfiguration", {
  networkName: text(),
  sourceVip: text(),
  enableDSR: bool(),
  rootHnsEndpointName: text(),
  forwardHealthCheckVip: bool(),
});

const conntrack = struct("ProxyConntrackConfiguration", {
  maxPerCore: given(int32(32_768)),
  min: given(int32(131_072)),
  tcpEstablishedTimeout: given(duration("24h0m0s")),
  tcpCloseWaitTimeout: given(duration("1h0m0s")),
  tcpBeLiberal: bool(),
  udpTimeout: duration(),
  udpStreamTimeout: duration(),
});

export const proxyShape = (naming: Naming) =>
  kind("OrchProxyConfiguration", {
    featureGates: map(bool()),
    clientConnection: inside(clientConnection(naming, 5, 10)),
    logging: inside(logging),
    hostnameOverride: text(),
    bindAddress: text("0.0.0.0"),
    // Those of `bindAddress`'s family where the file says nothing.
    healthzBindAddress: text(),
    metricsBindAddress: text(),
    bindAddressHardFail: bool(),
    enableProfiling: bool(),
    showHiddenMetricsForVersion: text(),
    mode: text(),
    iptables: inside(iptables),
    ipvs: inside(ipvs),
    nftables: inside(nftables),
    winkernel: inside(winkernel),
    detectLocalMode: text("ClusterCIDR"),
    detectLocal: inside(struct("DetectLocalConfiguration", { bridgeInterface: text(), interfaceNamePrefix: text() })),
    clusterCIDR: text(),
    nodePortAddresses: texts(),
    oomScoreAdj: given(int32(-999)),
    conntrack: inside(conntrack),
    configSyncPeriod: duration("15m0s"),
    portRange: text(),
    windowsRunAsService: bool(),
  });

/** Every block is there, with its defaults. Durations are texts (`30s`). */
export type ProxyConfiguration = ValueOf<ReturnType<typeof proxyShape>>;
