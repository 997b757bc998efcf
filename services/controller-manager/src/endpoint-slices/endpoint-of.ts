import { isGoing } from "../rim/objects.js";
import { hasEnded } from "../rim/pods.js";
import { isReady } from "../seen/conditions.js";
import type { SeenPod } from "../seen/pod.js";
import type { SeenService, SeenServicePort } from "../seen/service.js";
import type { AddressType, Endpoint, EndpointPort, NodePlace } from "./objects.js";

/** Whether a pod has or had an address at which it can be reached. */
export function isReachable(pod: SeenPod): boolean {
  const { podIP = "", podIPs = [] } = pod.status ?? {};
  return !hasEnded(pod) && (podIP !== "" || podIPs.length > 0);
}

/** A pod as its service publishes it; its addresses are those of one family. */
export function endpointOf(
  pod: SeenPod,
  service: SeenService,
  { family, node }: { readonly family: AddressType; readonly node: NodePlace | undefined },
): Endpoint {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const { nodeName = "", hostname = "" } = pod.spec ?? {};
  const serving = isReady(pod);
  const terminating = isGoing(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const zone = node?.zone ?? "";
  return {
    addresses: addressesOf(pod, family),
    conditions: { ready, serving, terminating },
    ...(hasHostname(pod, service) ? { hostname } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName === "" ? {} : { nodeName }),
    ...(zone === "" ? {} : { zone }),
  };
}

/** Its name is a name of the service's domain, too. */
export function hasHostname({ metadata, spec = {} }: SeenPod, service: SeenService): boolean {
  const { hostname = "", subdomain = "" } = spec;
  return hostname !== "" && subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
}

export function addressesOf({ status }: SeenPod, family: AddressType): readonly string[] {
  const addresses = (status?.podIPs ?? []).map(({ ip = "" }) => ip);
  return addresses.filter((ip) => familyOf(ip) === family).sort();
}

export const familyOf = (ip: string): AddressType => (ip.includes(":") ? "IPv6" : "IPv4");

/**
 * The ports of a service as one pod has them, in the order of {@link orderedPorts}. A port that the pod does not have is
 * left out.
 */
export function portsOf(pod: SeenPod, { spec = {} }: SeenService): readonly EndpointPort[] {
  return orderedPorts(
    (spec.ports ?? []).flatMap((wanted) => {
      const port = portOf(pod, wanted);
      if (port === undefined) return [];
      const { name = "", protocol = "TCP", appProtocol } = wanted;
      return { name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
    }),
  );
}

/** The number behind a service's port; undefined for a name that no container has. */
export function portOf(pod: SeenPod, { targetPort, protocol = "TCP" }: SeenServicePort): number | undefined {
  if (typeof targetPort !== "string") return targetPort;
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find((port) => port.name === targetPort && (port.protocol ?? "TCP") === protocol)?.containerPort;
}

/** In an order of their own, so that the same ports are the same list. */
export function orderedPorts(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  return ports.length < 2 ? ports : ports.toSorted((a, b) => (portText(a) < portText(b) ? -1 : 1));
}

/** What tells a list of ports from others. */
export const portsKey = (ports: readonly EndpointPort[] | null | undefined): string =>
  orderedPorts(ports ?? [])
    .map(portText)
    .join();

const portText = ({ name = "", port, protocol = "TCP", appProtocol }: EndpointPort): string =>
  JSON.stringify([name, port ?? null, protocol, appProtocol ?? null]);
