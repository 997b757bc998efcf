import type { Allocation, ResourceClaim } from "../../cluster/device-objects.js";
import type { ClusterView } from "../../cluster/view.js";
import type { Plugin, Unfit } from "../../framework/plugin.js";
import { failed, type Rejection, skip, unresolvable } from "../../framework/status.js";
import type { NodeInfo } from "../../model/node-info.js";
import { compileNodeSelector } from "../../model/node-selection.js";
import type { PodInfo } from "../../model/pod-info.js";
import { type Allocator, allocate, type Matches } from "./allocate.js";
import { type PodClaim, podClaims } from "./pod-claims.js";
import { deviceId, indexSlices, type Reachable } from "./pools.js";

const name = "DynamicResources";
const elsewhere = unresolvable(name, "resourceclaim not available on the node");
const noRoom = unresolvable(name, "cannot allocate all claims");
const inUse = unresolvable(name, "resourceclaim in use");
/** Of a claim. */
const mostUsers = 256;

/** What the claims of a pod become on its node. */
export interface DevicePlan {
  /** Claims (`namespace/name`) that get devices. */
  readonly allocate: readonly { readonly claim: string; readonly allocation: Allocation }[];
  /** All claims of the pod: they are reserved for it. */
  readonly reserve: readonly string[];
}

export interface DynamicResourcesOptions {
  readonly cluster: ClusterView;
  /** Compiles a selector; @throws Error what is wrong with it. */
  readonly compileSelector: (expression: string) => (device: DeviceFacts) => boolean;
  /** Writes what a plan says. */
  readonly carryOut: (
    plan: DevicePlan,
    pod: PodInfo,
    node: string,
    signal: AbortSignal,
  ) => Promise<Rejection | undefined>;
  /** Takes the devices from a claim that nobody uses and that stands in a pod's way. */
  readonly deallocate: (claim: string) => void;
}

/** A device as its selector sees it. */
export interface DeviceFacts {
  readonly driver: string;
  readonly attributes: object;
  readonly capacity: object;
}

interface Pending {
  readonly plan: DevicePlan;
  readonly isWritten: boolean;
}

/** Devices for the claims of a pod: those that claims have, and free ones for those that have none yet. */
export function dynamicResources({ cluster, compileSelector, carryOut, deallocate }: DynamicResourcesOptions): Plugin {
  const { objects } = cluster;
  const plans = new Map<string, Pending>();
  const matches = remembered(compileSelector);

  /** What is written is remembered until the mirror shows it: until then its devices look free. */
  const pending = (): Iterable<Pending> => {
    for (const [key, { plan, isWritten }] of plans) {
      const shows = ({ claim }: { readonly claim: string }): boolean => {
        const held = objects.ResourceClaim.get(claim);
        return held === undefined || held.status?.allocation !== undefined;
      };
      if (isWritten && plan.allocate.every(shows)) plans.delete(key);
    }
    return plans.values();
  };
  const allocatorNow = (): Allocator => {
    const taken = new Set<string>();
    const take = (allocation: Allocation | undefined): void => {
      for (const result of allocation?.devices?.results ?? [])
        if (result.adminAccess !== true) taken.add(deviceId(result));
    };
    for (const { status } of objects.ResourceClaim.all()) take(status?.allocation);
    for (const { plan } of pending()) for (const { allocation } of plan.allocate) take(allocation);
    return { objects, taken, matches, slices: indexSlices(objects.ResourceSlice.all()) };
  };
  const underWay = (key: string): boolean =>
    [...pending()].some(({ plan }) => plan.allocate.some(({ claim }) => claim === key));

  /** What refuses a pod whatever the node. */
  const refusal = (pod: PodInfo, claims: readonly PodClaim[]): Rejection | undefined => {
    for (const { key, claim } of claims) {
      if (claim.status?.allocation !== undefined) {
        const users = claim.status.reservedFor ?? [];
        if (users.length >= mostUsers && !users.some(({ uid }) => uid === pod.uid)) return inUse;
        continue;
      }
      if (underWay(key)) return unresolvable(name, `resourceclaim ${key} is in the process of being allocated`);
      for (const { name: request = "", deviceClassName = "" } of claim.spec?.devices?.requests ?? []) {
        if (objects.DeviceClass.get(deviceClassName) === undefined) {
          return unresolvable(name, `request ${request}: device class ${deviceClassName} does not exist`);
        }
      }
    }
    return undefined;
  };

  return {
    name,
    preEnqueue: (pod) => {
      const claims = podClaims(pod, objects);
      return typeof claims === "string" ? unresolvable(name, claims) : undefined;
    },
    preFilter: ({ pod }) => {
      if ((pod.raw.spec?.resourceClaims ?? []).length === 0) return skip;
      const claims = podClaims(pod, objects);
      if (typeof claims === "string") return unresolvable(name, claims);
      const rejection = refusal(pod, claims);
      if (rejection !== undefined) return rejection;
      const reach = claims.map(({ claim }) => reachOf(claim));
      const open = claims.filter(({ claim }) => claim.status?.allocation === undefined);
      const allocator = open.length === 0 ? undefined : allocatorNow();
      return {
        code: "Ready",
        filter: (node) => {
          if (!reach.every((reaches) => reaches(node))) return elsewhere;
          return allocator === undefined ? undefined : roomOn(node, open, allocator);
        },
      };
    },
    filter: "prepared",
    postFilter: (unfit) => {
      const freed = freeable(unfit, objects.ResourceClaim.get);
      const message = freed ?? "no new claims to deallocate";
      if (typeof message === "string") return { code: "Unschedulable", message, clearNomination: false };
      deallocate(message.claim);
      return { code: "Unschedulable", message: "deallocation of ResourceClaim completed", clearNomination: false };
    },
    reserve: {
      reserve: (pod, nodeName) => {
        const node = cluster.node(nodeName);
        const claims = podClaims(pod, objects);
        if (typeof claims === "string") return unresolvable(name, claims);
        if (node === undefined || claims.length === 0) return undefined;
        const open = claims.filter(({ claim }) => claim.status?.allocation === undefined);
        const allocations = open.length === 0 ? [] : allocate(open, node, allocatorNow());
        if (allocations === undefined) return noRoom;
        const plan = {
          allocate: open.flatMap(({ key }, i) => {
            const allocation = allocations[i];
            return allocation === undefined ? [] : [{ claim: key, allocation }];
          }),
          reserve: claims.map(({ key }) => key),
        };
        plans.set(pod.key, { plan, isWritten: false });
        return undefined;
      },
      unreserve: (pod) => {
        if (plans.get(pod.key)?.isWritten === false) plans.delete(pod.key);
      },
    },
    preBind: async (pod, node, signal) => {
      const own = plans.get(pod.key);
      if (own === undefined) return undefined;
      const problem = await carryOut(own.plan, pod, node, signal);
      if (problem === undefined) plans.set(pod.key, { ...own, isWritten: true });
      return problem;
    },
    events: [
      { resource: "ResourceClaim", actions: ["Add", "Update", "Delete"] },
      { resource: "UnscheduledPod", actions: ["UpdatePodGeneratedResourceClaim"] },
      { resource: "DeviceClass", actions: ["Add", "Update"] },
      { resource: "ResourceSlice", actions: ["Add", "Update"] },
      { resource: "Node", actions: ["Add", "UpdateNodeLabel"] },
    ],
  };
}

function roomOn(node: NodeInfo, open: readonly PodClaim[], allocator: Allocator): Rejection | undefined {
  try {
    return allocate(open, node, allocator) === undefined ? noRoom : undefined;
  } catch (error) {
    return failed(name, error instanceof Error ? error.message : String(error));
  }
}

function reachOf({ status }: ResourceClaim): (node: NodeInfo) => boolean {
  const selector = status?.allocation?.nodeSelector;
  return selector === undefined ? () => true : compileNodeSelector(selector);
}

/** Claims that keep the pod from every node though nobody else uses them; a sentence where there is none. */
function freeable(
  { cycle: { pod, cluster }, rejections }: Unfit,
  claimAt: (key: string) => ResourceClaim | undefined,
): { readonly claim: string } | string | undefined {
  const claims = podClaims(pod, cluster.objects);
  if (typeof claims === "string" || claims.length === 0) return undefined;
  if (rejections.includes(elsewhere)) {
    for (const { key } of claims) {
      const status = claimAt(key)?.status;
      const users = status?.reservedFor ?? [];
      if (status?.allocation?.nodeSelector !== undefined && users.every(({ uid }) => uid === pod.uid))
        return { claim: key };
    }
  }
  return "still not schedulable";
}

/** Each selector is compiled once, and asked about each device once. */
function remembered(compile: DynamicResourcesOptions["compileSelector"]): Matches {
  const known = new Map<
    string,
    { readonly test: (device: DeviceFacts) => boolean; readonly answers: WeakMap<object, boolean> }
  >();
  return (expression, { device, driver }: Reachable) => {
    let selector = known.get(expression);
    if (selector === undefined) {
      if (known.size >= 1000) known.clear();
      selector = { test: compile(expression), answers: new WeakMap() };
      known.set(expression, selector);
    }
    const before = selector.answers.get(device);
    if (before !== undefined) return before;
    const { attributes = {}, capacity = {} } = device.basic ?? {};
    const answer = selector.test({ driver, attributes, capacity });
    selector.answers.set(device, answer);
    return answer;
  };
}
