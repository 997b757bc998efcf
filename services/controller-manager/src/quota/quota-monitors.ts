import { withMetadata } from "@orch/api/object.js";
import { sameAmounts } from "@orch/api/quota/amounts.js";
import { type CountedResource, countName, evaluatorOf, isMeasured } from "@orch/api/quota/evaluators.js";
import type { ApiResource } from "@orch/client/discovery.js";
import { identityOnly } from "@orch/client/metadata-only.js";
import type { View } from "@orch/client/mirror.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { ControllerTools } from "../tools.js";
import type { Freed } from "./freed.js";

export interface QuotaMonitors {
  /** Follows these resources, and no others. */
  follow(resources: readonly ApiResource[], signal: AbortSignal): void;
  /** Settles when each of these that is followed was read once. */
  synced(resources: readonly ApiResource[]): Promise<void>;
  /** Settles when none runs any more. */
  ended(): Promise<void>;
}

export interface QuotaMonitorsOptions {
  readonly tools: Pick<ControllerTools, "mirror" | "naming">;
  /** An object of a namespace uses less than before, or, where it is `gone`, nothing. */
  readonly freed: (namespace: string, resource: CountedResource, gone?: Freed) => void;
  readonly onError: (error: unknown, fields: object) => void;
}

interface Monitor {
  readonly view: View<Kept>;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** Follows what quotas count, to hear of what is freed; what is used more, admission notes itself. */
export function createQuotaMonitors({ tools, freed, onError }: QuotaMonitorsOptions): QuotaMonitors {
  const monitors = new Map<string, Monitor>();
  const past: Promise<void>[] = [];
  return {
    follow(resources, signal) {
      const wanted = new Map(resources.map((resource) => [nameOf(resource), resource]));
      for (const [name, { abort, ended }] of monitors) {
        if (wanted.has(name)) continue;
        abort.abort();
        monitors.delete(name);
        past.push(ended);
      }
      for (const [name, resource] of wanted) {
        if (monitors.has(name)) continue;
        const abort = new AbortController();
        const view = monitorOf(resource, { tools, freed, onError });
        monitors.set(name, { view, abort, ended: view.run(AbortSignal.any([signal, abort.signal])) });
      }
    },
    async synced(resources) {
      await Promise.all(resources.map((resource) => monitors.get(nameOf(resource))?.view.synced));
    },
    async ended() {
      await Promise.all([...past, ...[...monitors.values()].map(({ ended }) => ended)]);
    },
  };
}

function nameOf({ group, version, resource }: ApiResource): string {
  return `${group}/${version}/${resource}`;
}

/** What is kept of an object: how much it used, where that may change. */
interface Kept extends ApiObject {
  readonly usage?: Readonly<Record<string, string>>;
}

function monitorOf(resource: ApiResource, { tools, freed, onError }: QuotaMonitorsOptions): View<Kept> {
  const { mirror, naming } = tools;
  const counted = { group: resource.group, plural: resource.resource };
  const evaluator = evaluatorOf(counted, naming);
  // What is measured is read whole, everything else by its metadata.
  const measured = isMeasured(counted, naming);
  const usageOf = (object: ApiObject): NonNullable<Kept["usage"]> => evaluator.usage(withMetadata(object), 0);
  return mirror.view({
    collection: { group: resource.group, version: resource.version, resource: resource.resource },
    sees: measured ? "objects" : "metadata",
    keep: (object): Kept => (measured ? { ...identityOnly(object), usage: usageOf(object) } : identityOnly(object)),
    handlers: {
      modified(object, { usage }) {
        if (usage !== undefined && !sameAmounts(usageOf(object), usage)) {
          freed(object.metadata.namespace ?? "", counted);
        }
      },
      deleted(object, { usage = usageOf(object) }) {
        const { namespace = "", resourceVersion } = object.metadata;
        freed(namespace, counted, { name: countName(counted), revision: Number(resourceVersion), usage });
      },
    },
    onError: (error) => onError(error, { resource: countName(counted) }),
  });
}
