import { metadataOnly } from "@orch/client/metadata-only.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import { ApiError } from "@orch/status/api-error.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { conditionsOf, withConditions } from "./conditions.js";
import { type Emptied, emptyNamespace } from "./content.js";
import { isTerminating, namespaces, watchNamespaces } from "./namespace-watch.js";

export interface NamespaceControllerConfig {
  /** Namespaces that are emptied at once (`--concurrent-namespace-syncs`). */
  readonly workers: number;
  /**
   * Between the deletion and the first look: until every resource service has heard of it, objects may still be
   * created there.
   */
  readonly quietMs: number;
}

const name = "namespace-controller";

/** Empties namespaces that are being deleted, then removes its own finalizer from them (rules: Object deletion). */
export function createNamespaceController(config: NamespaceControllerConfig, tools: ControllerTools): Controller {
  const failed = failureTeller(tools, name);
  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers: config.workers,
        work: (namespace, working) => finish(namespace, tools, working),
        clock: tools.clock,
        observer: tools.telemetry.queue("namespace"),
        onError: (error, namespace) => failed(error, { namespace }),
      });
      const look = (object: ApiObject): void => {
        if (isTerminating(object)) queue.addAfter(object.metadata.name ?? "", config.quietMs);
      };
      const all = watchNamespaces(tools, { handlers: { added: look, modified: look }, onError: failed });
      await Promise.all([all.run(signal), queue.run(signal)]);
    },
  };
}

const longestEstimateSeconds = 120;

/** One round: deletes what is there, says what is left, and lets the namespace go when nothing is. */
async function finish(name: string, tools: ControllerTools, signal: AbortSignal): Promise<Outcome> {
  const { client, clock, naming } = tools;
  const namespace = await client.get(namespaces, name, { signal }).catch(undefinedWhereMissing);
  if (namespace === undefined || !isTerminating(namespace)) return "done";
  if (!finalizersOf(namespace).includes(naming.namespaceFinalizer)) return "done";
  const emptied = await emptyNamespace(await tools.discovery.read(signal), {
    client,
    accept: metadataOnly(naming).list,
    signal,
    namespace: name,
    secondsSince: (clock.now() - Date.parse(String(namespace.metadata["deletionTimestamp"]))) / 1000,
  });
  const told = await tell(namespace, emptied, tools, signal);
  const failures = [emptied.discoveryFailure, ...emptied.contentFailures].filter((f) => f !== undefined);
  if (failures.length > 0) throw new Error(failures.join("; "));
  // A pod may be given a longer time than it takes: nothing tells of its end.
  const estimate = Math.min(emptied.estimateSeconds, longestEstimateSeconds);
  if (estimate > 0) return { againAfterMs: (Math.floor(estimate / 2) + 1) * 1000 };
  const finalizers = finalizersOf(told).filter((f) => f !== naming.namespaceFinalizer);
  const spec = isRecord(told["spec"]) ? told["spec"] : {};
  await client
    .update(namespaces, { ...told, spec: { ...spec, finalizers } }, { subresource: "finalize", signal })
    .catch(undefinedWhereMissing);
  return "done";
}

/** Conditions that have changed go into its status; the newest state. */
async function tell(
  namespace: ApiObject,
  emptied: Emptied,
  { client, clock, naming }: ControllerTools,
  signal: AbortSignal,
): Promise<ApiObject> {
  const conditions = conditionsOf(emptied, naming.systemName("").replace(/-$/, ""));
  const now = wireTime(clock.now());
  const changed = withConditions(namespace, conditions, now);
  return changed === undefined
    ? namespace
    : await client.update(namespaces, changed, { subresource: "status", signal });
}

function finalizersOf(namespace: ApiObject): readonly unknown[] {
  const finalizers = isRecord(namespace["spec"]) ? namespace["spec"]["finalizers"] : undefined;
  return Array.isArray(finalizers) ? finalizers : [];
}

function undefinedWhereMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.reason === "NotFound") return undefined;
  throw error;
}
