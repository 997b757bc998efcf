import type { Subset } from "@orch/api/kinds/core/service/endpoint-subsets.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import { parseAddress } from "@orch/schema/formats/ip.js";
import { takeOver } from "../endpoint-slices/decide-slices.js";
import { familyOf, portsKey } from "../endpoint-slices/endpoint-of.js";
import { fillSlices } from "../endpoint-slices/fill-slices.js";
import type {
  AddressType,
  Endpoint,
  EndpointPort,
  Slice,
  SliceChanges,
  SlicePlan,
} from "../endpoint-slices/objects.js";
import { isSameMap } from "../endpoint-slices/slice-labels.js";
import type { EndpointsObject } from "../endpoints/decide-endpoints.js";
import { type Kind, referenceTo } from "../rim/objects.js";
import type { SeenService } from "../seen/service.js";

export const endpointsKind: Kind = {
  apiVersion: "v1",
  kind: "Endpoints",
  collection: { group: "", version: "v1", resource: "endpoints" },
};

export interface MirrorWords {
  readonly serviceName: string;
  readonly managedBy: string;
  readonly manager: string;
  readonly skip: string;
  /** Annotation of an object by which somebody is elected. */
  readonly leader: string;
  /** Annotations that are not copied. */
  readonly ownAnnotations: readonly string[];
}

export const mirrorWords = (naming: Naming): MirrorWords => ({
  serviceName: naming.key("service-name"),
  managedBy: `endpointslice.${naming.key("managed-by")}`,
  manager: naming.group("endpointslicemirroring-controller"),
  skip: `endpointslice.${naming.key("skip-mirror")}`,
  leader: `control-plane.alpha.${naming.key("leader")}`,
  ownAnnotations: [naming.clientSideApply.annotation, `endpoints.${naming.key("last-change-trigger-time")}`],
});

/** Endpoints that somebody keeps by hand, of a service that selects no pods. */
export function isMirrored(endpoints: ApiObject, service: SeenService | undefined, words: MirrorWords): boolean {
  const { labels = {}, annotations = {} } = endpoints.metadata;
  if (service === undefined || (service.spec?.selector ?? undefined) !== undefined) return false;
  return labels[words.skip] !== "true" && annotations[words.leader] === undefined;
}

export interface MirrorDecision extends SliceChanges {
  /** Texts that are no addresses. */
  readonly invalid: number;
  /** Addresses beyond the most of their subset. */
  readonly skipped: number;
}

interface Group {
  readonly family: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Endpoint[];
}

/** What makes slices say what Endpoints say. `max`: addresses of a subset at most. */
export function decideMirrors(
  endpoints: EndpointsObject,
  slices: readonly Slice[],
  { words, max }: { readonly words: MirrorWords; readonly max: number },
): MirrorDecision {
  const groups = new Map<string, Group>();
  let [invalid, skipped] = [0, 0];
  for (const subset of endpoints.subsets ?? []) {
    let taken = 0;
    for (const { ip, endpoint } of endpointsOf(subset)) {
      if (parseAddress(ip) === undefined) invalid += 1;
      else if (taken >= max) skipped += 1;
      else {
        taken += 1;
        groupOf(groups, familyOf(ip), subset).endpoints.push(endpoint);
      }
    }
  }
  const known = new Map<string, Slice[]>();
  for (const slice of slices) {
    const key = groupKey(slice.addressType ?? "", slice.ports ?? []);
    known.set(key, [...(known.get(key) ?? []), slice]);
  }
  const labels = {
    ...endpoints.metadata.labels,
    [words.managedBy]: words.manager,
    [words.serviceName]: endpoints.metadata.name ?? "",
  };
  const annotations = annotationsOf(endpoints, words);
  const plans = [...groups].map(([key, group]) =>
    fillSlices(known.get(key) ?? [], group.endpoints, {
      max,
      make: (some) => newMirror(endpoints, { ...group, endpoints: some }, { labels, annotations }),
      relabelled: (slice) =>
        isSameMap(slice.metadata.labels, labels) && isSameMap(slice.metadata.annotations, annotations)
          ? slice
          : { ...slice, metadata: { ...slice.metadata, labels, annotations } },
    }),
  );
  const unwanted = [...known].flatMap(([key, of]) => (groups.has(key) ? [] : of));
  const plan: SlicePlan = {
    create: plans.flatMap((each) => each.create),
    update: plans.flatMap((each) => each.update),
    remove: [...plans.flatMap((each) => each.remove), ...unwanted],
    unchanged: plans.flatMap((each) => each.unchanged),
  };
  return { ...takeOver(plan, () => true), invalid, skipped };
}

function* endpointsOf({ addresses = [], notReadyAddresses = [] }: Subset) {
  for (const [list, ready] of [
    [addresses, true],
    [notReadyAddresses, false],
  ] as const) {
    for (const { ip = "", hostname = "", nodeName = "", targetRef } of list) {
      const endpoint: Endpoint = {
        addresses: [ip],
        conditions: { ready },
        ...(hostname === "" ? {} : { hostname }),
        ...(nodeName === "" ? {} : { nodeName }),
        ...(targetRef === undefined ? {} : { targetRef }),
      };
      yield { ip, endpoint };
    }
  }
}

const groupKey = (family: string, ports: readonly EndpointPort[]): string => `${family} ${portsKey(ports)}`;

function groupOf(groups: Map<string, Group>, family: AddressType, { ports = [] }: Subset): Group {
  const key = groupKey(family, ports);
  const group = groups.get(key) ?? { family, ports, endpoints: [] };
  groups.set(key, group);
  return group;
}

function annotationsOf({ metadata }: ApiObject, { ownAnnotations }: MirrorWords): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([key]) => !ownAnnotations.includes(key)),
  );
}

function newMirror(
  endpoints: EndpointsObject,
  {
    family,
    ports,
    endpoints: some,
  }: { readonly family: AddressType; readonly ports: readonly EndpointPort[]; readonly endpoints: readonly Endpoint[] },
  meta: { readonly labels: Readonly<Record<string, string>>; readonly annotations: Readonly<Record<string, string>> },
): Slice {
  const { name = "", namespace = "" } = endpoints.metadata;
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      ...meta,
      ownerReferences: [referenceTo(endpointsKind, endpoints)],
    },
    addressType: family,
    endpoints: some,
    ports: ports.map(({ name: of = "", protocol = "TCP", ...port }) => ({ ...port, name: of, protocol })),
  };
}
