import { boolFlag, durationFlag, intFlag, numberFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { cloudFlags } from "./clouds/cloud-flags.js";

const group = "Controllers";
const mask = (what: string) => ({
  ...{ group, min: 0, max: 128 },
  help: `bits of the blocks of ${what} that nodes are given`,
});

/** Flags of the controllers of services, budgets, nodes and volumes; the reference's names. */
export const clusterFlags = {
  "concurrent-service-endpoint-syncs": intFlag(5, {
    ...{ group, min: 1 },
    help: "services whose endpoint slices are worked on at once",
  }),
  "max-endpoints-per-slice": intFlag(100, {
    ...{ group, min: 1, max: 1000 },
    help: "endpoints of an endpoint slice at most",
  }),
  "endpointslice-updates-batch-period": durationFlag(0, {
    group,
    help: "changes of pods within this time are written to endpoint slices at once; 0 is immediately",
  }),
  "concurrent-endpoint-syncs": intFlag(5, {
    ...{ group, min: 1 },
    help: "services whose endpoints are worked on at once",
  }),
  "endpoint-updates-batch-period": durationFlag(0, {
    group,
    help: "changes of pods within this time are written to endpoints at once; 0 is immediately",
  }),
  "mirroring-concurrent-service-endpoint-syncs": intFlag(5, {
    ...{ group, min: 1 },
    help: "endpoints that are mirrored to slices at once",
  }),
  "mirroring-max-endpoints-per-subset": intFlag(1000, {
    ...{ group, min: 1, max: 1000 },
    help: "addresses of a subset of endpoints that are mirrored at most",
  }),
  "mirroring-endpointslice-updates-batch-period": durationFlag(0, {
    group,
    help: "changes of endpoints within this time are mirrored at once; 0 is immediately",
  }),
  "node-monitor-grace-period": durationFlag(50_000, {
    group,
    help: "for how long a node may be silent before nobody knows how it is",
  }),
  "node-startup-grace-period": durationFlag(60_000, { group, help: "the same of a node that was never heard" }),
  "node-eviction-rate": numberFlag(0.1, {
    group,
    help: "nodes a second whose pods are made to go, in a zone that is well",
  }),
  "secondary-node-eviction-rate": numberFlag(0.01, {
    group,
    help: "the same in a large zone that is not well; in a small one it is 0",
  }),
  "large-cluster-size-threshold": intFlag(50, { ...{ group, min: 0 }, help: "nodes of a small zone at most" }),
  "unhealthy-zone-threshold": numberFlag(0.55, {
    group,
    help: "part of the nodes of a zone that must not be ready, at least three, for it not to be well",
  }),
  "terminated-pod-gc-threshold": intFlag(12_500, {
    group,
    help: "pods that have ended and are kept; 0 or less keeps all of them",
  }),
  "concurrent-ephemeralvolume-syncs": intFlag(5, {
    ...{ group, min: 1 },
    help: "pods whose own volumes get their claims at once",
  }),
  "pvclaimbinder-sync-period": durationFlag(15_000, {
    group,
    help: "after which every claim and every volume is looked at again",
  }),
  "enable-dynamic-provisioning": boolFlag(true, {
    group,
    help: "whether the provisioners of storage classes are asked for volumes",
  }),
  "legacy-service-account-token-clean-up-period": durationFlag(8760 * 3_600_000, {
    group,
    help: "for how long a token in a Secret must have been unused to become invalid, and then invalid to be deleted",
  }),
  "attach-detach-reconcile-sync-period": durationFlag(60_000, {
    group,
    help: "after which the attachments of every volume are looked at again",
  }),
  "disable-attach-detach-reconcile-sync": boolFlag(false, { group, help: "whether they are not" }),
  "disable-force-detach-on-timeout": boolFlag(false, {
    group,
    help: "whether volumes stay on nodes that are not ready for as long as their agents do not let go of them",
  }),
  ...cloudFlags,
  "node-cidr-mask-size": intFlag(0, mask("the one range")),
  "node-cidr-mask-size-ipv4": intFlag(24, mask("IPv4")),
  "node-cidr-mask-size-ipv6": intFlag(64, mask("IPv6")),
} as const;

export type ClusterValues = FlagValues<typeof clusterFlags>;
