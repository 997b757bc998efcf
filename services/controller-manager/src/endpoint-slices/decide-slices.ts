import { groupBy } from "@orch/schema/group-by.js";
import type { SeenService } from "../seen/service.js";
import { endpointOf, familyOf, isReachable, portsKey, portsOf } from "./endpoint-of.js";
import { fillSlices } from "./fill-slices.js";
import {
  type AddressType,
  type Endpoint,
  type EndpointPort,
  endpointsOf,
  type ServiceState,
  type Slice,
  type SliceChanges,
  type SlicePlan,
} from "./objects.js";
import { isOwnedBy, isSameMap, labelsOf, newSlice, relabelled, type SliceWords } from "./slice-labels.js";
import { addOwnZones, addZoneHints, removeHints } from "./zone-hints.js";
import type { ZoneShares } from "./zone-shares.js";

export interface SliceOptions {
  readonly words: SliceWords;
  /** Endpoints of a slice at most. */
  readonly max: number;
  /** Of the nodes; undefined where they do not tell. */
  readonly shares: ZoneShares | undefined;
  /** Whether the slices have hints by processors, as the decision before left them. */
  readonly hinted: boolean;
  /** When what has changed began to be so, as slices tell it; undefined where that is not known. */
  readonly triggerTime?: string | undefined;
}

export interface SliceEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: "TopologyAwareHintsDisabled" | "TopologyAwareHintsEnabled";
  readonly message: string;
}

export interface SliceDecision extends SliceChanges {
  readonly events: readonly SliceEvent[];
  readonly hinted: boolean;
  /** Pods that were left out because their nodes are not there: to be looked at again. */
  readonly withoutNode: readonly string[];
}

/** What makes the slices of a service say where its pods are. */
export function decideSlices(state: ServiceState, options: SliceOptions): SliceDecision {
  const families = familiesOf(state.service);
  const others = state.slices.filter(({ addressType }) => !families.some((family) => family === addressType));
  let { hinted } = options;
  const parts = families.map((family) => {
    const part = decideFamily(state, family, { ...options, hinted });
    hinted = part.hinted;
    return part;
  });
  return {
    create: parts.flatMap((part) => part.create),
    update: parts.flatMap((part) => part.update),
    remove: [...parts.flatMap((part) => part.remove), ...others],
    events: parts.flatMap((part) => part.events),
    hinted,
    withoutNode: [...new Set(parts.flatMap((part) => part.withoutNode))],
  };
}

function familiesOf({ spec = {} }: SeenService): readonly AddressType[] {
  const { ipFamilies = [], clusterIP = "" } = spec;
  const families = (["IPv4", "IPv6"] as const).filter((family) => ipFamilies.includes(family));
  if (families.length > 0) return families;
  return clusterIP === "" || clusterIP === "None" ? ["IPv4", "IPv6"] : [familyOf(clusterIP)];
}

function decideFamily(state: ServiceState, family: AddressType, options: SliceOptions): SliceDecision {
  const { service } = state;
  const slices = state.slices.filter(({ addressType }) => addressType === family);
  const { groups, withoutNode } = groupPods(state, family);
  const placed = withPlaceholder(placeGroups(service, slices, { groups, family, options }), slices, {
    service,
    family,
    words: options.words,
  });
  const { plan, events, hinted } = hint(placed, { service, family, options });
  const { create, update, remove } = takeOver(plan, (slice) => isOwnedBy(slice, service));
  const stamped = (slice: Slice): Slice => withTriggerTime(slice, options.words.triggerTime, options.triggerTime);
  return {
    // The garbage collector is about to remove them all.
    create: service.metadata.deletionTimestamp === undefined ? create.map(stamped) : [],
    update: update.map(stamped),
    remove,
    events,
    hinted,
    withoutNode,
  };
}

/** The endpoints that share their ports, by {@link portsKey}. */
type Groups = ReadonlyMap<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: readonly Endpoint[] }>;

function groupPods({ service, pods, nodeOf }: ServiceState, family: AddressType) {
  const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
  const withoutNode: string[] = [];
  for (const pod of pods.filter(isReachable)) {
    const ports = portsOf(pod, service);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    const node = nodeOf(pod.spec?.nodeName ?? "");
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) {
      withoutNode.push(pod.metadata.name ?? "");
      continue;
    }
    const endpoint = endpointOf(pod, service, { family, node });
    if ((endpoint.addresses ?? []).length > 0) group.endpoints.push(endpoint);
  }
  return { groups, withoutNode };
}

function placeGroups(
  service: SeenService,
  slices: readonly Slice[],
  how: { readonly groups: Groups; readonly family: AddressType; readonly options: SliceOptions },
): SlicePlan {
  const { groups, family, options } = how;
  const { words, max } = options;
  const own = slices.filter((slice) => isOwnedBy(slice, service));
  const others = slices.filter((slice) => !isOwnedBy(slice, service));
  const byPorts = groupBy(own, ({ ports }) => portsKey(ports));
  const plans = [...groups].map(([key, { ports, endpoints }]) =>
    fillSlices(byPorts.get(key) ?? [], endpoints, {
      max,
      make: (some) => newSlice(service, words, { family, ports, endpoints: some }),
      relabelled: (slice) => relabelled(slice, service, words),
    }),
  );
  const unwanted = own.filter(({ ports }) => !groups.has(portsKey(ports)));
  return {
    create: plans.flatMap((plan) => plan.create),
    update: plans.flatMap((plan) => plan.update),
    remove: [...others, ...plans.flatMap((plan) => plan.remove), ...unwanted],
    unchanged: plans.flatMap((plan) => plan.unchanged),
  };
}

/** A service that publishes nothing has one empty slice: readers see that it was looked at. */
function withPlaceholder(
  plan: SlicePlan,
  slices: readonly Slice[],
  of: { readonly service: SeenService; readonly family: AddressType; readonly words: SliceWords },
): SlicePlan {
  if (plan.remove.length !== slices.length || plan.create.length > 0) return plan;
  const { service, family, words } = of;
  const [only] = plan.remove;
  if (plan.remove.length === 1 && only !== undefined && isPlaceholder(only, service, words)) {
    return { ...plan, remove: [], unchanged: [only] };
  }
  return { ...plan, create: [newSlice(service, words, { family, ports: [], endpoints: [] })] };
}

const isPlaceholder = (slice: Slice, service: SeenService, words: SliceWords): boolean =>
  endpointsOf(slice).length === 0 &&
  (slice.ports ?? []).length === 0 &&
  isOwnedBy(slice, service) &&
  isSameMap(slice.metadata.labels, labelsOf(service, words));

function hint(
  plan: SlicePlan,
  {
    service,
    family,
    options,
  }: { readonly service: SeenService; readonly family: AddressType; readonly options: SliceOptions },
): { readonly plan: SlicePlan; readonly events: readonly SliceEvent[]; readonly hinted: boolean } {
  const before = options.hinted;
  const told = (type: SliceEvent["type"], what: "Enabled" | "Disabled", text: string): SliceEvent => ({
    type,
    reason: `TopologyAwareHints${what}`,
    message: `${text}, addressType: ${family}`,
  });
  if (!asksForHints(service, options.words)) {
    const events = before ? [told("Warning", "Disabled", "Topology Aware Hints has been disabled")] : [];
    const closest = service.spec?.trafficDistribution === "PreferClose";
    return { plan: closest ? addOwnZones(plan) : removeHints(plan), events, hinted: false };
  }
  const added = addZoneHints(plan, options.shares);
  if (!added.done) return { plan: removeHints(plan), events: [told("Warning", "Disabled", added.why)], hinted: false };
  const events = before ? [] : [told("Normal", "Enabled", "Topology Aware Hints has been enabled")];
  return { plan: added.plan, events, hinted: true };
}

export function asksForHints({ metadata }: SeenService, { modes }: SliceWords): boolean {
  const mode = modes.map((key) => metadata.annotations?.[key]).find((value) => value !== undefined);
  return mode === "Auto" || mode === "auto";
}

/** A slice that is to be made takes the place of one that is to go: one write for two. */
export function takeOver({ create, update, remove }: SlicePlan, isOwned: (slice: Slice) => boolean): SliceChanges {
  const made = [...create];
  const taken: Slice[] = [];
  const gone = remove.filter((slice) => {
    const last = made.at(-1);
    const fits = last?.addressType === slice.addressType && isOwned(slice);
    const next = fits ? made.pop() : undefined;
    if (next !== undefined) taken.push(inPlaceOf(slice, next));
    return next === undefined;
  });
  return { create: made, update: [...update, ...taken], remove: gone };
}

function inPlaceOf(slice: Slice, { metadata: { generateName: _, ...metadata }, ...next }: Slice): Slice {
  const { name = "", uid, resourceVersion, generateName } = slice.metadata;
  return {
    ...next,
    metadata: {
      ...metadata,
      name,
      ...(generateName === undefined ? {} : { generateName }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

function withTriggerTime(slice: Slice, key: string, time: string | undefined): Slice {
  const { [key]: _, ...others } = slice.metadata.annotations ?? {};
  return {
    ...slice,
    metadata: { ...slice.metadata, annotations: time === undefined ? others : { ...others, [key]: time } },
  };
}
