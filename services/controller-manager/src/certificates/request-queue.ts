import type { ApiObject } from "@orch/client/objects.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { signingRequests } from "./signing-request.js";

export interface RequestWork {
  /** Of the controller. */
  readonly name: string;
  /** Of its queue, in metrics. */
  readonly queue: string;
  readonly work: (object: ApiObject, signal: AbortSignal) => Promise<Outcome>;
}

/** Delays of requests that nothing could be done for: they may wait for a right that somebody grants later. */
const firstDelayMs = 200;
const longestDelayMs = 1_000_000;

/** A controller that looks at every request for a certificate whenever it has changed. */
export function createRequestController(
  { name, queue: queueName, work }: RequestWork,
  tools: ControllerTools,
): Controller {
  const { mirror, clock, naming, telemetry } = tools;
  const failed = failureTeller(tools, name);
  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers: 5,
        async work(key, working) {
          const object = requests.store.get(key);
          return object === undefined ? "done" : await work(object, working);
        },
        clock,
        observer: telemetry.queue(queueName),
        onError: (error, request) => failed(error, { request }),
        firstDelayMs,
        longestDelayMs,
      });
      const look = ({ metadata }: ApiObject): void => queue.add(metadata.name ?? "");
      const requests = mirror.view({
        collection: signingRequests(naming),
        sees: "objects",
        keep: withoutManagers,
        handlers: { added: look, modified: look },
        onError: failed,
      });
      await Promise.all([requests.run(signal), queue.run(signal)]);
    },
  };
}
