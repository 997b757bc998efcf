import type { Parsed } from "@orch/auth/parsed.js";
import type { Network } from "@orch/schema/formats/ip.js";
import { type CloudParts, cloudSettings } from "./clouds/cloud-settings.js";
import type { ClusterConfig } from "./cluster-controllers.js";
import type { ClusterValues } from "./cluster-flags.js";
import { rangeProblem } from "./node-ipam/blocks.js";
import type { IpamSettings } from "./node-ipam/ipam-controller.js";
import { networksIn, textsIn } from "./node-ipam/networks-in.js";

/** How often pods that nobody else takes away are looked for, and how long a node must have been missing. */
const collectEveryMs = 20_000;
const quarantineMs = 40_000;

export interface ClusterParts extends CloudParts {
  /** Of the addresses of services. */
  readonly serviceRanges: readonly Network[];
}

export function clusterSettings(values: ClusterValues, parts: ClusterParts): Parsed<ClusterConfig> {
  const ipam = ipamSettings(values, parts.serviceRanges);
  if (!ipam.ok) return ipam;
  if (values["node-monitor-period"] === 0) return refused("--node-monitor-period must be greater than zero");
  const cloud = cloudSettings(values, parts);
  if (!cloud.ok) return cloud;
  return {
    ok: true,
    value: {
      slices: {
        workers: values["concurrent-service-endpoint-syncs"],
        max: values["max-endpoints-per-slice"],
        batchMs: values["endpointslice-updates-batch-period"],
      },
      endpoints: {
        workers: values["concurrent-endpoint-syncs"],
        batchMs: values["endpoint-updates-batch-period"],
      },
      mirroring: {
        workers: values["mirroring-concurrent-service-endpoint-syncs"],
        max: values["mirroring-max-endpoints-per-subset"],
        batchMs: values["mirroring-endpointslice-updates-batch-period"],
      },
      nodes: {
        periodMs: values["node-monitor-period"],
        graceMs: values["node-monitor-grace-period"],
        startupMs: values["node-startup-grace-period"],
        rate: values["node-eviction-rate"],
        secondaryRate: values["secondary-node-eviction-rate"],
        largeZone: values["large-cluster-size-threshold"],
        unhealthy: values["unhealthy-zone-threshold"],
      },
      podCollector: {
        threshold: values["terminated-pod-gc-threshold"],
        // Nobody waits longer for a node's pods than for the node.
        periodMs: Math.min(collectEveryMs, values["node-monitor-grace-period"]),
        quarantineMs: Math.min(quarantineMs, values["node-monitor-grace-period"]),
      },
      ephemeralVolumes: { workers: values["concurrent-ephemeralvolume-syncs"] },
      volumeBinder: {
        periodMs: values["pvclaimbinder-sync-period"],
        provisions: values["enable-dynamic-provisioning"],
      },
      volumeAttacher: {
        periodMs: values["disable-attach-detach-reconcile-sync"]
          ? undefined
          : values["attach-detach-reconcile-sync-period"],
        forces: !values["disable-force-detach-on-timeout"],
      },
      cloud: cloud.value,
      legacyTokens: { periodMs: values["legacy-service-account-token-clean-up-period"] },
      ipam: ipam.value,
    },
  };
}

function ipamSettings(values: ClusterValues, services: readonly Network[]): Parsed<IpamSettings | undefined> {
  if (!values["allocate-node-cidrs"]) return { ok: true, value: undefined };
  if (textsIn(values["cluster-cidr"]).length === 0) return refused("--allocate-node-cidrs needs --cluster-cidr");
  const networks = networksIn(values["cluster-cidr"]);
  if (networks === undefined) {
    return refused(`--cluster-cidr ${values["cluster-cidr"]}: must be one range, or one of each family`);
  }
  const own = values["node-cidr-mask-size"];
  if (own > 0 && networks.length > 1) {
    return refused(
      "--node-cidr-mask-size is for one range: use --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6",
    );
  }
  const bitsOf = ({ address }: Network): number =>
    own > 0 ? own : values[address.length === 4 ? "node-cidr-mask-size-ipv4" : "node-cidr-mask-size-ipv6"];
  const ranges = networks.map((network) => ({ network, bits: bitsOf(network) }));
  const problem = ranges.map(rangeProblem).find((each) => each !== undefined);
  return problem === undefined ? { ok: true, value: { ranges, services } } : refused(`--cluster-cidr: ${problem}`);
}

const refused = (problem: string): { readonly ok: false; readonly problems: readonly string[] } => ({
  ok: false,
  problems: [problem],
});
