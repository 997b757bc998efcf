import type { Allocation, Attribute, DeviceRequest, ResourceClaim, Selector } from "../../cluster/device-objects.js";
import type { OtherObjects } from "../../cluster/objects.js";
import type { NodeFacts } from "../../model/node-info.js";
import type { RawRequirement } from "../../model/objects.js";
import type { PodClaim } from "./pod-claims.js";
import type { Reachable, SliceIndex } from "./pools.js";

/** Whether a selector chooses a device. @throws Error what is wrong with it */
export type Matches = (expression: string, device: Reachable) => boolean;

export interface Allocator {
  readonly objects: OtherObjects;
  readonly slices: SliceIndex;
  /** Devices that others have. */
  readonly taken: ReadonlySet<string>;
  readonly matches: Matches;
}

/** One device to be found. */
interface Slot {
  readonly claim: number;
  readonly request: DeviceRequest;
  /** Devices that would do, in their order. */
  readonly choices: readonly Reachable[];
  /** Attributes that it must share with others of these slots. */
  readonly shared: readonly { readonly attribute: string; readonly group: string }[];
}

/** Enough for what people write; a search beyond it ends without an answer. */
const mostSteps = 100_000;

/** Allocations of all claims on a node, in their order; undefined where there is no room for all. */
export function allocate(
  claims: readonly PodClaim[],
  node: NodeFacts,
  allocator: Allocator,
): readonly Allocation[] | undefined {
  const { devices, areWhole } = allocator.slices.on(node);
  const slots: Slot[] = [];
  for (const [i, { claim }] of claims.entries()) {
    for (const request of claim.spec?.devices?.requests ?? []) {
      const choices = devices.filter((device) => isChosen(device, request, allocator));
      const shared = sharedOf(claim, request.name ?? "", i);
      if (request.allocationMode === "All") {
        if (!areWhole || choices.length === 0) return undefined;
        for (const device of choices) slots.push({ claim: i, request, choices: [device], shared });
        continue;
      }
      for (let n = 0; n < (request.count ?? 1); n++) slots.push({ claim: i, request, choices, shared });
    }
  }
  const chosen = search(slots, allocator.taken);
  if (chosen === undefined) return undefined;
  return claims.map(({ claim }, i) => {
    const own = chosen.flatMap((device, at) =>
      slots[at]?.claim === i ? [{ device, request: slots[at].request }] : [],
    );
    return allocationOf(claim, own, allocator.objects);
  });
}

function isChosen(device: Reachable, request: DeviceRequest, { objects, matches }: Allocator): boolean {
  const ofClass = objects.DeviceClass.get(request.deviceClassName ?? "")?.spec?.selectors ?? [];
  const all = ({ cel }: Selector): boolean => cel?.expression === undefined || matches(cel.expression, device);
  return ofClass.every(all) && (request.selectors ?? []).every(all);
}

/** A constraint without requests is about all of them. */
function sharedOf({ spec }: ResourceClaim, request: string, claim: number): Slot["shared"] {
  return (spec?.devices?.constraints ?? []).flatMap(({ requests = [], matchAttribute }, i) =>
    matchAttribute === undefined || (requests.length > 0 && !requests.includes(request))
      ? []
      : [{ attribute: matchAttribute, group: `${claim} ${i}` }],
  );
}

/** A device for each slot, each device once; slots of administrators take none away. */
function search(slots: readonly Slot[], taken: ReadonlySet<string>): readonly Reachable[] | undefined {
  const chosen: Reachable[] = [];
  const used = new Set(taken);
  const values = new Map<string, { value: string; count: number }>();
  let steps = 0;
  const find = (at: number): boolean => {
    const slot = slots[at];
    if (slot === undefined) return true;
    const isAdmin = slot.request.adminAccess === true;
    for (const device of slot.choices) {
      steps += 1;
      if (steps > mostSteps) return false;
      if (!isAdmin && used.has(device.id)) continue;
      if (!agree(slot, device, values)) continue;
      if (!isAdmin) used.add(device.id);
      note(slot, device, values, 1);
      chosen[at] = device;
      if (find(at + 1)) return true;
      note(slot, device, values, -1);
      if (!isAdmin) used.delete(device.id);
    }
    return false;
  };
  return find(0) ? chosen : undefined;
}

type Values = Map<string, { value: string; count: number }>;

/** A device that lacks the attribute agrees with nobody. */
function agree({ shared }: Slot, device: Reachable, values: Values): boolean {
  return shared.every(({ attribute, group }) => {
    const value = attributeOf(device, attribute);
    const known = values.get(group);
    return value !== undefined && (known === undefined || known.value === value);
  });
}

function note({ shared }: Slot, device: Reachable, values: Values, by: 1 | -1): void {
  for (const { attribute, group } of shared) {
    const count = (values.get(group)?.count ?? 0) + by;
    if (count === 0) values.delete(group);
    else values.set(group, { value: attributeOf(device, attribute) ?? "", count });
  }
}

/** Attributes of the driver's own domain may leave it out. */
function attributeOf({ device, driver }: Reachable, attribute: string): string | undefined {
  const attributes: Readonly<Record<string, Attribute>> = device.basic?.attributes ?? {};
  const own = attribute.startsWith(`${driver}/`) ? attribute.slice(driver.length + 1) : attribute;
  const key = [attribute, own].find((name) => Object.hasOwn(attributes, name));
  return key === undefined ? undefined : JSON.stringify(attributes[key]);
}

interface Chosen {
  readonly device: Reachable;
  readonly request: DeviceRequest;
}

function allocationOf({ spec }: ResourceClaim, chosen: readonly Chosen[], { DeviceClass }: OtherObjects): Allocation {
  const ofClasses = (spec?.devices?.requests ?? []).flatMap(({ name = "", deviceClassName = "" }) =>
    (DeviceClass.get(deviceClassName)?.spec?.config ?? []).map((config) => ({
      source: "FromClass",
      requests: [name],
      ...config,
    })),
  );
  const ofClaim = (spec?.devices?.config ?? []).map((config) => ({ source: "FromClaim", ...config }));
  const config = [...ofClasses, ...ofClaim];
  const nodeSelector = nodeSelectorOf(chosen);
  return {
    devices: {
      results: chosen.map(({ device: { driver, pool, device }, request: { name = "", adminAccess } }) => ({
        request: name,
        driver,
        pool,
        device: device.name ?? "",
        ...(adminAccess === undefined ? {} : { adminAccess }),
      })),
      ...(config.length === 0 ? {} : { config }),
    },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

/** Nodes that reach all of the devices. */
function nodeSelectorOf(chosen: readonly Chosen[]): Allocation["nodeSelector"] {
  const matchFields: RawRequirement[] = [];
  const matchExpressions: RawRequirement[] = [];
  for (const { device } of chosen) {
    const { nodeName = "", nodeSelector } = device.slice.spec ?? {};
    if (nodeName !== "") {
      const named = { key: "metadata.name", operator: "In", values: [nodeName] };
      return { nodeSelectorTerms: [{ matchFields: [named] }] };
    }
    const [term] = nodeSelector?.nodeSelectorTerms ?? [];
    addNew(matchFields, term?.matchFields);
    addNew(matchExpressions, term?.matchExpressions);
  }
  if (matchFields.length === 0 && matchExpressions.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(matchFields.length === 0 ? {} : { matchFields }),
        ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
      },
    ],
  };
}

function addNew(list: RawRequirement[], more: readonly RawRequirement[] = []): void {
  const known = new Set(list.map((each) => JSON.stringify(each)));
  for (const each of more) if (!known.has(JSON.stringify(each))) list.push(each);
}
