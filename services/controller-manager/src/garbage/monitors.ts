import type { ApiResource } from "@orch/client/discovery.js";
import { identityOnly } from "@orch/client/metadata-only.js";
import type { Mirror, View } from "@orch/client/mirror.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { KindName } from "./graph.js";

/** Told of every change of every followed kind. */
export interface Changes {
  seen(kind: KindName, object: ApiObject): void;
  gone(kind: KindName, object: ApiObject): void;
}

export interface Monitors {
  /** Follows these resources and no others. What is followed again tells what has changed meanwhile. */
  follow(resources: readonly ApiResource[], signal: AbortSignal): void;
  /** Settles when each of them has been listed once. */
  synced(): Promise<void>;
  /** Settles when none runs any more. */
  ended(): Promise<void>;
}

export interface MonitorsOptions {
  readonly mirror: Mirror;
  readonly changes: Changes;
  readonly onError: (error: unknown, resource: ApiResource) => void;
}

interface Monitor {
  readonly view: View<ApiObject>;
  running: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
}

/** Follows the metadata of many kinds. */
export function createMonitors(options: MonitorsOptions): Monitors {
  const monitors = new Map<string, Monitor>();

  const monitorOf = (resource: ApiResource): Monitor => {
    const key = `${resource.group}/${resource.version}/${resource.resource}`;
    const known = monitors.get(key);
    if (known !== undefined) return known;
    const made: Monitor = { view: viewOf(resource, options), running: undefined };
    monitors.set(key, made);
    return made;
  };

  return {
    follow(resources, signal) {
      const wanted = new Set(resources.map(monitorOf));
      for (const monitor of monitors.values()) {
        if (wanted.has(monitor)) continue;
        // Its objects stay in the graph: a group that is away for a while must not look like deleted owners.
        monitor.running?.abort.abort();
        monitor.running = undefined;
      }
      for (const monitor of wanted) {
        if (monitor.running !== undefined) continue;
        const abort = new AbortController();
        const ended = monitor.view.run(AbortSignal.any([signal, abort.signal]));
        monitor.running = { abort, ended };
      }
    },
    async synced() {
      await Promise.all([...monitors.values()].filter((m) => m.running).map((m) => m.view.synced));
    },
    async ended() {
      await Promise.all([...monitors.values()].map((m) => m.running?.ended));
    },
  };
}

function viewOf(resource: ApiResource, { mirror, changes, onError }: MonitorsOptions): View<ApiObject> {
  const { group, version, kind } = resource;
  const name: KindName = { apiVersion: group === "" ? version : `${group}/${version}`, kind };
  return mirror.view({
    collection: { group, version, resource: resource.resource },
    sees: "metadata",
    // What ownership needs is in the graph: there may be very many objects.
    keep: identityOnly,
    handlers: {
      added: (object) => changes.seen(name, object),
      modified(object, before) {
        // Deleted and made anew while nobody looked.
        if (object.metadata.uid !== before.metadata.uid) changes.gone(name, before);
        changes.seen(name, object);
      },
      deleted: (object) => changes.gone(name, object),
    },
    onError: (error) => onError(error, resource),
  });
}
