import { compileDeviceSelector } from "@orch/cel/devices.js";
import type { Client } from "@orch/client/client.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Allocation } from "@orch/scheduling/cluster/device-objects.js";
import { failed } from "@orch/scheduling/framework/status.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import type { SchedulingOptions } from "@orch/scheduling/scheduling.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";

export interface DevicesDeps {
  readonly client: Pick<Client, "get" | "update">;
  readonly naming: Naming;
  readonly onError: (error: unknown) => void;
}

/** The version that decisions read and write. */
export const deviceCollections = (naming: Naming) => {
  const at = (resource: string): Collection => ({ group: naming.group("resource"), version: "v1beta1", resource });
  return {
    ResourceClaim: at("resourceclaims"),
    DeviceClass: at("deviceclasses"),
    ResourceSlice: at("resourceslices"),
  } as const;
};

/** Others write claims too: drivers, and the controller that makes them. */
const mostTries = 5;

/** What DynamicResources needs of the outside: selectors, and writes of claims. */
export function createDevices({ client, naming, onError }: DevicesDeps): NonNullable<SchedulingOptions["devices"]> {
  const claims = deviceCollections(naming).ResourceClaim;
  const finalizer = `resource.${naming.key("delete-protection")}`;

  /** Writes again what `next` makes of a claim until nobody was faster; undefined: it is right already. @throws ApiError */
  async function change(key: string, next: Next): Promise<void> {
    const [namespace = "", name = ""] = key.split("/", 2);
    const collection = { ...claims, namespace };
    for (let tries = 1; ; tries++) {
      const found = await client.get(collection, name);
      const wanted = next(found);
      if (wanted === undefined) return;
      try {
        const kept = wanted.protect ? await protectedBy(finalizer, found, { client, collection }) : found;
        await client.update(collection, { ...kept, status: wanted.status }, { subresource: "status" });
        return;
      } catch (error) {
        const isPast = error instanceof ApiError && error.reason === "Conflict";
        if (!isPast || tries >= mostTries) throw error;
      }
    }
  }

  return {
    compileSelector(expression) {
      const select = compileDeviceSelector(expression, naming.dialect);
      return (device) => {
        const selection = select(device);
        if (!selection.ok) throw new Error(`selector ${JSON.stringify(expression)}: ${selection.error}`);
        return selection.matches;
      };
    },
    async carryOut({ allocate, reserve }, pod) {
      const allocations = new Map(allocate.map(({ claim, allocation }) => [claim, allocation]));
      try {
        for (const key of reserve) await change(key, (claim) => reserved(claim, pod, allocations.get(key)));
        return undefined;
      } catch (error) {
        return failed("DynamicResources", messageOf(error));
      }
    },
    deallocate(key) {
      const freed: Next = ({ status }) => {
        if (!isRecord(status) || status["allocation"] === undefined) return undefined;
        const { allocation: _, reservedFor: __, ...rest } = status;
        return { status: rest, protect: false };
      };
      void change(key, freed).catch(unlessPast).catch(onError);
    },
  };
}

/** A claim's next status, and whether it must not go while it has devices. */
type Next = (claim: ApiObject) => { readonly status: object; readonly protect: boolean } | undefined;

/** @throws Error somebody else has given it devices meanwhile */
function reserved(
  { metadata, status }: ApiObject,
  { name, uid }: PodInfo,
  allocation: Allocation | undefined,
): ReturnType<Next> {
  const before = isRecord(status) ? status : {};
  const users: readonly unknown[] = Array.isArray(before["reservedFor"]) ? before["reservedFor"] : [];
  if (allocation !== undefined && before["allocation"] !== undefined) {
    throw new Error(`claim ${metadata.name}: it has been allocated elsewhere`);
  }
  const isReserved = users.some((user) => isRecord(user) && user["uid"] === uid);
  if (allocation === undefined && isReserved) return undefined;
  const reservedFor = isReserved ? users : [...users, { resource: "pods", name, uid }];
  return {
    status: { ...before, ...(allocation === undefined ? {} : { allocation }), reservedFor },
    protect: allocation !== undefined,
  };
}

async function protectedBy(
  finalizer: string,
  claim: ApiObject,
  { client, collection }: { readonly client: Pick<Client, "update">; readonly collection: Collection },
): Promise<ApiObject> {
  const { finalizers } = claim.metadata;
  const held: readonly unknown[] = Array.isArray(finalizers) ? finalizers : [];
  if (held.includes(finalizer)) return claim;
  return client.update(collection, { ...claim, metadata: { ...claim.metadata, finalizers: [...held, finalizer] } });
}
