import { isDeepStrictEqual } from "node:util";
import { type Address, type Port, packed, type Subset } from "@orch/api/kinds/core/service/endpoint-subsets.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import { addressesOf, familyOf, hasHostname, isReachable, portOf } from "../endpoint-slices/endpoint-of.js";
import { isSameMap } from "../endpoint-slices/slice-labels.js";
import { isGoing } from "../rim/objects.js";
import { isReady } from "../seen/conditions.js";
import type { SeenPod } from "../seen/pod.js";
import type { SeenService } from "../seen/service.js";

export interface EndpointsObject extends ApiObject {
  readonly subsets?: readonly Subset[] | null;
}

export interface EndpointsState {
  /** One with a selector. */
  readonly service: SeenService;
  /** Those that it selects. */
  readonly pods: readonly SeenPod[];
  readonly current: EndpointsObject | undefined;
}

export interface EndpointsWords {
  readonly headless: string;
  readonly triggerTime: string;
  readonly overCapacity: string;
}

export const endpointsWords = (naming: Naming): EndpointsWords => ({
  headless: `service.${naming.key("headless")}`,
  triggerTime: `endpoints.${naming.key("last-change-trigger-time")}`,
  overCapacity: `endpoints.${naming.key("over-capacity")}`,
});

/** Addresses of an object at most. */
const capacity = 1000;

export type EndpointsDecision =
  | { readonly action: "none" }
  | { readonly action: "create" | "update"; readonly endpoints: EndpointsObject };

/** The Endpoints of a service as they should be, where they are not. `triggerTime` as the annotation has it. */
export function decideEndpoints(
  { service, pods, current }: EndpointsState,
  words: EndpointsWords,
  triggerTime: string | undefined,
): EndpointsDecision {
  const all = subsetsOf(service, pods);
  const subsets = withinCapacity(all, capacity);
  const labels = labelsOf(service, words);
  const annotations = { ...current?.metadata.annotations };
  const truncated = subsets !== all;
  const told = annotations[words.overCapacity] === "truncated";
  const same =
    current !== undefined &&
    truncated === told &&
    isSameMap(current.metadata.labels, labels) &&
    isSameList(current, subsets);
  if (same) return { action: "none" };
  delete annotations[words.overCapacity];
  delete annotations[words.triggerTime];
  if (truncated) annotations[words.overCapacity] = "truncated";
  if (triggerTime !== undefined) annotations[words.triggerTime] = triggerTime;
  const { name = "", namespace = "" } = service.metadata;
  const metadata = { ...(current?.metadata ?? { name, namespace }), labels, annotations };
  return {
    action: current === undefined ? "create" : "update",
    endpoints: { ...current, apiVersion: "v1", kind: "Endpoints", metadata, subsets },
  };
}

const isSameList = ({ subsets }: EndpointsObject, wanted: readonly Subset[]): boolean =>
  isDeepStrictEqual(packed((subsets ?? []).map(plain)), wanted);

/** Without what the server adds: empty names, and the version of the pod that was seen. */
function plain({ addresses, notReadyAddresses, ports }: Subset): Subset {
  const list = (key: keyof Subset, of: readonly Address[] | undefined) =>
    of === undefined || of.length === 0 ? {} : { [key]: of };
  return {
    ...list("addresses", addresses),
    ...list("notReadyAddresses", notReadyAddresses),
    ports: (ports ?? []).map(({ name = "", port = 0, protocol = "TCP", appProtocol }) =>
      portFrom({ name, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }, port),
    ),
  };
}

const portFrom = ({ name = "", protocol = "TCP", appProtocol }: Omit<Port, "port">, port: number): Port => ({
  ...(name === "" ? {} : { name }),
  port,
  protocol,
  ...(appProtocol === undefined ? {} : { appProtocol }),
});

function labelsOf({ metadata, spec = {} }: SeenService, words: EndpointsWords): Readonly<Record<string, string>> {
  const { [words.headless]: _, ...labels } = metadata.labels ?? {};
  const { clusterIP = "" } = spec;
  return clusterIP === "" || clusterIP === "None" ? { ...labels, [words.headless]: "" } : labels;
}

/** Of the service's first family alone. */
function subsetsOf(service: SeenService, pods: readonly SeenPod[]): readonly Subset[] {
  const { spec = {} } = service;
  const all = spec.publishNotReadyAddresses === true;
  const family = spec.ipFamilies?.[0] === "IPv6" || familyOf(spec.clusterIP ?? "") === "IPv6" ? "IPv6" : "IPv4";
  const subsets = pods
    .filter((pod) => isReachable(pod) && (all || !isGoing(pod)))
    .flatMap((pod) => {
      const [ip] = addressesOf(pod, family);
      if (ip === undefined) return [];
      const list = all || isReady(pod) ? "addresses" : "notReadyAddresses";
      const addresses = { [list]: [addressOf(pod, service, ip)] };
      const ports = spec.ports ?? [];
      if (ports.length === 0 && spec.clusterIP === "None") return [{ ...addresses, ports: [] }];
      return ports.flatMap((wanted) => {
        const port = portOf(pod, wanted);
        return port === undefined ? [] : [{ ...addresses, ports: [portFrom(wanted, port)] }];
      });
    });
  return packed(subsets);
}

function addressOf(pod: SeenPod, service: SeenService, ip: string) {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const { nodeName = "", hostname = "" } = pod.spec ?? {};
  return {
    ip,
    ...(hasHostname(pod, service) ? { hostname } : {}),
    ...(nodeName === "" ? {} : { nodeName }),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

/** The same subsets where all have room; otherwise the ready addresses first, of each subset its share. */
export function withinCapacity(subsets: readonly Subset[], most: number): readonly Subset[] {
  const sum = (list: "addresses" | "notReadyAddresses"): number =>
    subsets.reduce((total, subset) => total + (subset[list]?.length ?? 0), 0);
  const [ready, unready] = [sum("addresses"), sum("notReadyAddresses")];
  if (ready + unready <= most) return subsets;
  const cut = ready > most ? "addresses" : "notReadyAddresses";
  const total = cut === "addresses" ? ready : unready;
  const room = cut === "addresses" ? most : most - ready;
  let left = room;
  return subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const list = cut === "addresses" ? addresses : notReadyAddresses;
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * room)));
    left -= kept.length;
    const shown =
      cut === "addresses" ? { addresses: kept, notReadyAddresses: [] } : { addresses, notReadyAddresses: kept };
    return { ...shown, ports };
  });
}
