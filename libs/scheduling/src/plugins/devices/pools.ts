import type { Device, ResourceSlice } from "../../cluster/device-objects.js";
import type { NodeFacts } from "../../model/node-info.js";
import { compileNodeSelector } from "../../model/node-selection.js";

/** A device that a node reaches. */
export interface Reachable {
  /** `driver/pool/device`. */
  readonly id: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
  readonly slice: ResourceSlice;
}

export interface Pools {
  readonly devices: readonly Reachable[];
  /** A pool is being written anew: not all of its devices are known. */
  readonly areWhole: boolean;
}

const compiled = new WeakMap<object, (node: NodeFacts) => boolean>();

function reaches({ spec = {} }: ResourceSlice, node: NodeFacts): boolean {
  if (spec.allNodes === true) return true;
  if (spec.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName === node.name;
  if (spec.nodeSelector === undefined) return false;
  let test = compiled.get(spec.nodeSelector);
  if (test === undefined) {
    test = compileNodeSelector(spec.nodeSelector);
    compiled.set(spec.nodeSelector, test);
  }
  return test(node);
}

/** Slices of the newest generation of each pool that has all of its slices; by node, and those of several nodes. */
export interface SliceIndex {
  on(node: NodeFacts): Pools;
}

export function indexSlices(slices: Iterable<ResourceSlice>): SliceIndex {
  const pools = new Map<string, { generation: number; slices: ResourceSlice[] }>();
  for (const slice of slices) {
    const { driver = "", pool = {} } = slice.spec ?? {};
    const id = `${driver}/${pool.name ?? ""}`;
    const { generation = 0 } = pool;
    const known = pools.get(id);
    if (known === undefined || generation > known.generation) pools.set(id, { generation, slices: [slice] });
    else if (generation === known.generation) known.slices.push(slice);
  }
  const byNode = new Map<string, Entry[]>();
  const shared: Entry[] = [];
  for (const { slices: own } of pools.values()) {
    const isWhole = own.every(({ spec }) => spec?.pool?.resourceSliceCount === own.length);
    for (const slice of own) {
      const node = slice.spec?.nodeName ?? "";
      const list = node === "" ? shared : (byNode.get(node) ?? []);
      if (node !== "") byNode.set(node, list);
      list.push({ slice, isWhole });
    }
  }
  return {
    on(node) {
      const reached = [...(byNode.get(node.name) ?? []), ...shared].filter(({ slice }) => reaches(slice, node));
      return {
        areWhole: reached.every(({ isWhole }) => isWhole),
        devices: reached.filter(({ isWhole }) => isWhole).flatMap(({ slice }) => devicesOf(slice)),
      };
    },
  };
}

interface Entry {
  readonly slice: ResourceSlice;
  readonly isWhole: boolean;
}

function devicesOf(slice: ResourceSlice): readonly Reachable[] {
  const { driver = "", pool: { name: pool = "" } = {}, devices = [] } = slice.spec ?? {};
  return devices.map((device) => ({
    id: deviceId({ driver, pool, device: device.name ?? "" }),
    driver,
    pool,
    device,
    slice,
  }));
}

export const deviceId = ({
  driver = "",
  pool = "",
  device = "",
}: {
  driver?: string;
  pool?: string;
  device?: string;
}) => `${driver}/${pool}/${device}`;
