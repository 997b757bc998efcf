import { boolFlag, durationFlag, intFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";

const group = "Controllers";

/** Flags of the controllers that speak to a cloud, in whichever program they run; the reference's names. */
export const cloudFlags = {
  "cloud-provider": stringFlag("", {
    ...{ group, word: "name" },
    help: "the cloud: simulated, which gives addresses away, external, which another program speaks to, or none",
  }),
  "cloud-config": stringFlag("", {
    ...{ group, word: "file" },
    help: "what the cloud is told; of a simulated one the machines that it has, a SimulatedCloudConfiguration",
  }),
  "simulated-load-balancer-ranges": stringFlag("192.0.2.0/24", {
    ...{ group, word: "cidr[,cidr]" },
    help: "ranges of the addresses of balancers in a simulated cloud: one, or one of each family",
  }),
  "concurrent-service-syncs": intFlag(1, { ...{ group, min: 1 }, help: "services whose balancers are made at once" }),
  "configure-cloud-routes": boolFlag(true, {
    group,
    help: "whether the cloud is given routes to the pods of nodes; needs --allocate-node-cidrs",
  }),
  "route-reconciliation-period": durationFlag(10_000, {
    group,
    help: "after which every route of the cloud is looked at again",
  }),
  "node-monitor-period": durationFlag(5_000, { group, help: "between two looks at all nodes" }),
  "allocate-node-cidrs": boolFlag(false, { group, help: "whether nodes are given blocks of addresses for their pods" }),
  "cluster-cidr": stringFlag("", {
    ...{ group, word: "cidr[,cidr]" },
    help: "ranges of those addresses: one, or one of each family",
  }),
} as const;

export type CloudValues = FlagValues<typeof cloudFlags>;

/** Which fields of a configuration stand for {@link cloudFlags}. */
export const cloudFields = {
  "cloud-provider": "OrchCloudShared.CloudProvider.Name",
  "cloud-config": "OrchCloudShared.CloudProvider.CloudConfigFile",
  "concurrent-service-syncs": "ServiceController.ConcurrentServiceSyncs",
  "configure-cloud-routes": "OrchCloudShared.ConfigureCloudRoutes",
  "route-reconciliation-period": "OrchCloudShared.RouteReconciliationPeriod",
  "node-monitor-period": "OrchCloudShared.NodeMonitorPeriod",
  "allocate-node-cidrs": "OrchCloudShared.AllocateNodeCIDRs",
  "cluster-cidr": "OrchCloudShared.ClusterCIDR",
} as const;
