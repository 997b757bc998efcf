import type { ViewOptions } from "@orch/client/mirror.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { createWorkQueue } from "@orch/client/work-queue.js";
import type { Controller } from "./controller.js";
import { isTerminating, watchNamespaces } from "./namespaces/namespace-watch.js";
import { type ControllerTools, failureTeller } from "./tools.js";

/** One object of the same name in every namespace. */
export interface KeptObject extends Pick<ViewOptions<ApiObject>, "sees" | "keep"> {
  /** Of the controller. */
  readonly name: string;
  /** Of its queue, in metrics. */
  readonly queue: string;
  readonly collection: Collection;
  readonly objectName: string;
  /** Makes the object of a namespace what it must be; `known` is what `keep` kept of it, if it is there. */
  readonly ensure: (namespace: string, known: ApiObject | undefined, working: AbortSignal) => Promise<void>;
}

/** A controller that keeps an object in every namespace that is not being deleted. */
export function createNamespaceController(kept: KeptObject, tools: ControllerTools): Controller {
  const { mirror, clock, telemetry } = tools;
  const { collection, objectName, ensure, sees, keep } = kept;
  const failed = failureTeller(tools, kept.name);
  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers: 1,
        async work(namespace, working) {
          const object = namespaces.store.get(namespace);
          if (object === undefined || isTerminating(object)) return "done";
          await ensure(namespace, known.store.get(`${namespace}/${objectName}`), working);
          return "done";
        },
        clock,
        observer: telemetry.queue(kept.queue),
        onError: (error, namespace) => failed(error, { namespace }),
      });
      const look = (namespace: string | undefined): void => queue.add(namespace ?? "");
      const namespaces = watchNamespaces(tools, {
        handlers: { added: ({ metadata }) => look(metadata.name), modified: ({ metadata }) => look(metadata.name) },
        onError: failed,
      });
      const known = mirror.view({
        collection,
        fieldSelector: `metadata.name=${objectName}`,
        ...{ sees, keep },
        handlers: {
          added: ({ metadata }) => look(metadata.namespace),
          modified: ({ metadata }) => look(metadata.namespace),
          deleted: ({ metadata }) => look(metadata.namespace),
        },
        onError: failed,
      });
      const following = [namespaces.run(signal), known.run(signal)];
      await Promise.race([Promise.all([namespaces.synced, known.synced]), ...following]);
      await Promise.all([...following, queue.run(signal)]);
    },
  };
}
