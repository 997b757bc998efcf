import type { Naming } from "@orch/naming/naming.js";
import { type OwnerReference, referenceTo } from "../rim/objects.js";
import { type SeenService, serviceKind } from "../seen/service.js";
import type { AddressType, Endpoint, EndpointPort, Slice } from "./objects.js";

/** The words of slices in the dialect in force. */
export interface SliceWords {
  readonly serviceName: string;
  readonly managedBy: string;
  readonly headless: string;
  /** The value of `managedBy` on slices of this controller. */
  readonly manager: string;
  /** When what a slice says has begun to be so. */
  readonly triggerTime: string;
  /** Annotations of a service that ask for hints; the first that is there counts. */
  readonly modes: readonly string[];
}

export const sliceWords = (naming: Naming, manager: string): SliceWords => ({
  serviceName: naming.key("service-name"),
  managedBy: `endpointslice.${naming.key("managed-by")}`,
  headless: `service.${naming.key("headless")}`,
  manager: naming.group(manager),
  triggerTime: `endpoints.${naming.key("last-change-trigger-time")}`,
  modes: [`service.${naming.key("topology-aware-hints")}`, `service.${naming.key("topology-mode")}`],
});

/** A slice that is not stored yet. */
export function newSlice(
  service: SeenService,
  words: SliceWords,
  parts: {
    readonly family: AddressType;
    readonly ports: readonly EndpointPort[];
    readonly endpoints: readonly Endpoint[];
  },
): Slice {
  const { name = "", namespace = "" } = service.metadata;
  const { family, ports, endpoints } = parts;
  return {
    metadata: {
      // A name is made of it by five more characters: longer ones are cut by the server.
      generateName: `${name}-`,
      namespace,
      labels: labelsOf(service, words),
      ownerReferences: [referenceTo(serviceKind, service)],
    },
    addressType: family,
    endpoints,
    ports,
  };
}

/** It was made for this very service, not for one of its name before. */
export function isOwnedBy({ metadata }: Slice, service: SeenService): boolean {
  const isOwner = ({ apiVersion, kind, uid }: OwnerReference): boolean =>
    apiVersion === "v1" && kind === "Service" && uid === service.metadata.uid;
  return (metadata.ownerReferences ?? []).some(isOwner);
}

export function labelsOf({ metadata, spec = {} }: SeenService, words: SliceWords): Readonly<Record<string, string>> {
  const { clusterIP = "" } = spec;
  return {
    ...withoutReserved(metadata.labels, words),
    ...(clusterIP === "" || clusterIP === "None" ? { [words.headless]: "" } : {}),
    [words.serviceName]: metadata.name ?? "",
    [words.managedBy]: words.manager,
  };
}

/** The slice with the labels of its service; itself where it has them. */
export function relabelled(slice: Slice, service: SeenService, words: SliceWords): Slice {
  const wanted = withoutReserved(service.metadata.labels, words);
  if (isSameMap(withoutReserved(slice.metadata.labels, words), wanted)) return slice;
  return { ...slice, metadata: { ...slice.metadata, labels: labelsOf(service, words) } };
}

function withoutReserved(labels: Readonly<Record<string, string>> = {}, words: SliceWords) {
  const reserved = [words.serviceName, words.managedBy, words.headless];
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !reserved.includes(key)));
}

export function isSameMap(
  a: Readonly<Record<string, string>> | undefined = {},
  b: Readonly<Record<string, string>> | undefined = {},
): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
