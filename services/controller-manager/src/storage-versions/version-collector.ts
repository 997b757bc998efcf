import type { ApiObject, Collection } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { forgetServers, type StorageVersion } from "./forget-servers.js";

const name = "storageversion-garbage-collector-controller";

/** Takes servers out of storage versions whose identity leases are gone. */
export function createVersionCollector({ client, mirror, naming, clock, ...tools }: ControllerTools): Controller {
  const versions: Collection = {
    ...{ group: naming.group("internal.apiserver"), version: "v1alpha1", resource: "storageversions" },
  };
  const leases: Collection = {
    ...{ group: naming.group("coordination"), version: "v1", resource: "leases" },
    namespace: naming.systemName("system"),
  };
  const identity = `apiserver.${naming.key("identity")}`;
  const failed = failureTeller(tools, name);

  /** Whether a server's lease is there, as the server says that is asked. */
  const isThere = async (server: string, signal: AbortSignal): Promise<boolean> => {
    const lease = await client.get(leases, server, { signal }).catch(unlessPast);
    return lease?.metadata.labels?.[identity] === naming.systemName("apiserver");
  };
  const collect = async (seen: StorageVersion, signal: AbortSignal): Promise<Outcome> => {
    const { name: key = "" } = seen.metadata;
    const servers = (seen.status?.storageVersions ?? []).map(({ apiServerID = "" }) => apiServerID);
    const there = new Map<string, boolean>();
    for (const server of servers) there.set(server, await isThere(server, signal));
    if ([...there.values()].every(Boolean)) return "done";
    // As it is now: what a server has added meanwhile stays.
    const live: StorageVersion | undefined = await client.get(versions, key, { signal }).catch(unlessPast);
    if (live === undefined) return "done";
    const left = forgetServers(live, (server) => there.get(server) !== false, wireTime(clock.now()));
    if (left === "same") return "done";
    const { uid, resourceVersion } = live.metadata;
    if (left === "unset") {
      if (uid === undefined || resourceVersion === undefined) return "done";
      await client.delete(versions, key, { preconditions: { uid, resourceVersion }, signal });
    } else await client.update(versions, { ...live, ...left }, { subresource: "status", signal });
    return "done";
  };
  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers: 1,
        async work(key, working) {
          const seen = objects.store.get(key);
          if (seen === undefined) return "done";
          // What somebody has changed meanwhile is looked at again.
          return await collect(seen, working).catch((error: unknown): Outcome => unlessPast(error) ?? "retry");
        },
        clock,
        observer: tools.telemetry.queue("storage_version_garbage_collector"),
        onError: (error, key) => failed(error, { key }),
      });
      const look = ({ metadata }: ApiObject): void => queue.add(metadata.name ?? "");
      const objects = mirror.view<StorageVersion>({
        ...{ collection: versions, sees: "objects", keep: withoutManagers, onError: failed },
        handlers: { added: look, modified: look },
      });
      const servers = mirror.view({
        ...{ collection: leases, sees: "metadata", keep: withoutManagers, onError: failed },
        labelSelector: `${identity}=${naming.systemName("apiserver")}`,
        handlers: {
          deleted(lease) {
            for (const object of objects.store.values()) if (names(object, lease)) look(object);
          },
        },
      });
      const following = [objects.run(signal), servers.run(signal)];
      await Promise.race([Promise.all([objects.synced, servers.synced]), ...following]);
      await Promise.all([...following, queue.run(signal)]);
    },
  };
}

const names = ({ status }: StorageVersion, { metadata }: ApiObject): boolean =>
  (status?.storageVersions ?? []).some(({ apiServerID }) => apiServerID === metadata.name);
