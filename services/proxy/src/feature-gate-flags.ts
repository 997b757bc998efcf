import { gateList } from "@orch/runtime/flags/feature-gate-list.js";

/** Of features of proxies, and of what all components have. */
const own = [
  ...["AllAlpha", "AllBeta", "ContextualLogging", "KubeProxyDrainingTerminatingNodes", "LoggingAlphaOptions"],
  ...["LoggingBetaOptions", "NFTablesProxyMode", "StructuredLogging", "WinDSR", "WinOverlay"],
];

/** What `featureGates` of a configuration may name: the gates of the flag `--feature-gates`, and those of proxies. */
export const knownGates: ReadonlySet<string> = new Set([...own, ...Object.keys(gateList)]);
