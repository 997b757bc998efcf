import type { Family } from "../model/family.js";
import type { Surroundings } from "../ruleset.js";
import { comment, wordsOf } from "./words.js";

export interface BaseOptions {
  readonly family: Family;
  readonly table: string;
  readonly mark: string;
}

/** Name, type, hook and priority. */
const hooks = [
  ["filter-prerouting", "filter", "prerouting", -110],
  ["filter-input", "filter", "input", -110],
  ["filter-forward", "filter", "forward", -110],
  ["filter-output", "filter", "output", -110],
  ["filter-output-post-dnat", "filter", "output", -90],
  ["nat-prerouting", "nat", "prerouting", -100],
  ["nat-output", "nat", "output", -100],
  ["nat-postrouting", "nat", "postrouting", 100],
] as const;

const chains = [
  ...["nodeport-endpoints-check", "service-endpoints-check", "firewall-check", "services", "masquerading"],
  ...["mark-for-masquerade", "cluster-ips-check"],
];

const jumps = [
  "filter-input ct state new jump nodeport-endpoints-check",
  "filter-input ct state new jump service-endpoints-check",
  "filter-forward ct state new jump service-endpoints-check",
  "filter-output ct state new jump service-endpoints-check",
  "filter-prerouting ct state new jump firewall-check",
  "filter-output ct state new jump firewall-check",
  "nat-output jump services",
  "nat-prerouting jump services",
  "nat-postrouting jump masquerading",
  "filter-forward ct state new jump cluster-ips-check",
  "filter-output-post-dnat ct state new jump cluster-ips-check",
];

/** What is there whatever the services are, with the table: each line a command. */
export function baseCommands({ family, table, mark }: BaseOptions, surroundings: Surroundings): readonly string[] {
  const { ip, addressType, loopback } = wordsOf[family];
  const { nodePorts, serviceNetworks } = surroundings;
  const at = `${ip} ${table}`;
  const byAddress = `type ${addressType} . inet_proto . inet_service : verdict`;
  const byPort = "type inet_proto . inet_service : verdict";
  const verdict = `${ip} daddr . meta l4proto . th dport vmap`;
  const atNode = nodePorts === "all" ? `fib daddr type local ${ip} daddr != ${loopback}` : `${ip} daddr @nodeport-ips`;
  const map = (name: string, type: string, about: string): string =>
    `add map ${at} ${name} { ${type} ; ${comment(about)} ; }`;
  return [
    `add table ${at} { ${comment(`rules for ${table}`)} ; }`,
    ...hooks.map(
      ([name, type, hook, priority]) => `add chain ${at} ${name} { type ${type} hook ${hook} priority ${priority} ; }`,
    ),
    ...chains.map((name) => `add chain ${at} ${name}`),
    `add chain ${at} reject-chain { ${comment("helper for @no-endpoint-services / @no-endpoint-nodeports")} ; }`,
    `add set ${at} cluster-ips { type ${addressType} ; ${comment("Active ClusterIPs")} ; }`,
    ...(nodePorts === "all"
      ? []
      : [`add set ${at} nodeport-ips { type ${addressType} ; ${comment("IPs that accept NodePort traffic")} ; }`]),
    map("no-endpoint-services", byAddress, "vmap to drop or reject packets to services with no endpoints"),
    map("no-endpoint-nodeports", byPort, "vmap to drop or reject packets to service nodeports with no endpoints"),
    map("firewall-ips", byAddress, "destinations that are subject to LoadBalancerSourceRanges"),
    map("service-ips", byAddress, "ClusterIP, ExternalIP and LoadBalancer IP traffic"),
    map("service-nodeports", byPort, "NodePort traffic"),
    ...[
      ...jumps,
      `mark-for-masquerade mark set mark or ${mark}`,
      `masquerading mark and ${mark} == 0 return`,
      `masquerading mark set mark xor ${mark}`,
      "masquerading masquerade fully-random",
      `cluster-ips-check ${ip} daddr @cluster-ips reject ${comment("Reject traffic to invalid ports of ClusterIPs")}`,
      ...(serviceNetworks.length === 0
        ? []
        : [
            `cluster-ips-check ${ip} daddr { ${serviceNetworks.join(", ")} } drop ${comment("Drop traffic to unallocated ClusterIPs")}`,
          ]),
      "reject-chain reject",
      `service-endpoints-check ${verdict} @no-endpoint-services`,
      `nodeport-endpoints-check ${atNode} meta l4proto . th dport vmap @no-endpoint-nodeports`,
      `firewall-check ${verdict} @firewall-ips`,
      `services ${verdict} @service-ips`,
      `services ${atNode} meta l4proto . th dport vmap @service-nodeports`,
    ].map((rule) => `add rule ${at} ${rule}`),
    ...(nodePorts === "all" || nodePorts.length === 0
      ? []
      : [`add element ${at} nodeport-ips { ${nodePorts.join(", ")} }`]),
  ];
}
