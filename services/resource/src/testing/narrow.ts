import assert from "node:assert/strict";
import { createAddressObjects } from "../allocation/address-objects.js";
import type { AddressObjects } from "../allocation/claims.js";
import { noAllocationMetrics } from "../allocation/metrics.js";
import { createPools } from "../allocation/pools.js";
import { createRepair, type Repair } from "../allocation/repair.js";
import type { AllocationConfig } from "../allocation/service-allocation.js";
import { type Bed, catalogOf } from "./bed.js";

/** Few enough that everybody wants the same ones. */
export const narrow = {
  addresses: [{ address: [10, 0, 0, 0], bits: 28 }],
  nodePorts: { first: 30_000, last: 30_007 },
} satisfies AllocationConfig;

export const http = { port: 80, protocol: "TCP" };
export const inside = { ports: [http] };
export const node = { type: "NodePort", ports: [http] };
export const local = { type: "LoadBalancer", externalTrafficPolicy: "Local", ports: [http] };

/** What the repair has to say goes to `told`. */
export function repairOf({ store, naming }: Bed, told: string[] = [], objects?: AddressObjects): Repair {
  const kind = catalogOf(naming).kind("v1", "Service");
  assert.ok(kind !== undefined);
  const pools = createPools(narrow);
  return createRepair({
    store,
    prefix: naming.storePrefix,
    kind,
    objects,
    pools,
    metrics: { ...noAllocationMetrics, damage: (of, type) => told.push(`${of} ${type}`) },
    log: () => {},
  });
}

/** Claims of addresses as objects. */
export function addressObjectsOf({ naming }: Bed): AddressObjects {
  const kind = catalogOf(naming).kind(`${naming.group("networking")}/v1beta1`, "IPAddress");
  assert.ok(kind !== undefined);
  let uid = 0;
  return createAddressObjects({ kind, naming, newUid: () => `address-${++uid}`, now: () => 1_000_000 });
}

export async function rounds(repair: Repair, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await repair.round();
}
