import type { Naming } from "@orch/naming/naming.js";
import type { Instance, NodeAddress, Zone } from "../clouds/cloud.js";
import type { SeenNode } from "../seen/node.js";
import { cloudTaints, taintsWith } from "./cloud-taints.js";

/** What a cloud says of a node. */
export interface Described {
  readonly instance: Instance;
  /** Undefined where the cloud has no zones. */
  readonly zone: Zone | undefined;
}

/**
 * The change that makes a node one of a cloud: its id there, labels by which it is chosen, and no taint any more that keeps
 * pods away. An id that it has stays.
 */
export function initialized(node: SeenNode, { instance, zone }: Described, naming: Naming) {
  const { providerID } = node.spec ?? {};
  return {
    // With its version: the list of taints is written whole.
    metadata: {
      uid: node.metadata.uid,
      resourceVersion: node.metadata.resourceVersion,
      labels: labelsOf(instance, zone, naming),
    },
    spec: {
      ...(providerID === undefined || providerID === "" ? { providerID: instance.providerId } : {}),
      taints: taintsWith(node, cloudTaints(naming).uninitialized),
    },
  };
}

function labelsOf(instance: Instance, zone: Zone | undefined, naming: Naming): Readonly<Record<string, string>> {
  const ofType = ["beta", "node"].map((domain) => [`${domain}.${naming.key("instance-type")}`, instance.type] as const);
  const ofPlace = (["zone", "region"] as const).flatMap((what) =>
    ["failure-domain.beta", "topology"].map((domain) => [`${domain}.${naming.key(what)}`, zone?.[what] ?? ""] as const),
  );
  // The labels of the system are not a cloud's to give.
  const further = Object.entries(instance.labels).filter(([key]) => !isOfSystem(key, naming));
  return Object.fromEntries([...further, ...[...ofType, ...ofPlace].filter(([, value]) => value !== "")]);
}

function isOfSystem(label: string, naming: Naming): boolean {
  const [domain = "", name] = label.split("/");
  if (name === undefined) return false;
  // `kubernetes.io` and `k8s.io`, in the dialect's words.
  const own = [naming.key("").slice(0, -"/".length), naming.group("").slice(".".length)];
  return own.some((of) => domain === of || domain.endsWith(`.${of}`));
}

export type DecidedAddresses =
  | { readonly ok: true; readonly addresses: readonly NodeAddress[] | undefined }
  | { readonly ok: false; readonly problem: string };

/**
 * The addresses of a node: those of its instance, with the name that its agent told where the cloud has none; undefined where
 * they are right. An address that the agent was started with has to be one of them, and comes first of its type.
 */
export function decideAddresses(node: SeenNode, instance: Instance, naming: Naming): DecidedAddresses {
  const present = node.status?.addresses ?? [];
  const of = instance.addresses;
  if (of.length === 0) return { ok: true, addresses: undefined };
  const hostname = of.some(({ type }) => type === "Hostname") ? [] : present.filter(({ type }) => type === "Hostname");
  const wanted = node.metadata.annotations?.[`alpha.${naming.key("provided-node-ip")}`];
  const told = wanted === undefined ? undefined : of.find(({ address }) => address === wanted);
  if (wanted !== undefined && told === undefined) {
    return { ok: false, problem: `failed to get node address from cloud provider that matches ip: ${wanted}` };
  }
  const first = told === undefined ? of : [told, ...of.filter((other) => other !== told)];
  const addresses = [...first, ...hostname];
  const isSame =
    addresses.length === present.length &&
    addresses.every(({ type, address }, i) => present[i]?.type === type && present[i].address === address);
  return { ok: true, addresses: isSame ? undefined : addresses };
}
