import { identityOnly, metadataOnly } from "@orch/client/metadata-only.js";
import { createReflector } from "@orch/client/reflector.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "./controller.js";
import { isTerminating, watchNamespaces } from "./namespaces/namespace-watch.js";
import { type ControllerTools, failureTeller } from "./tools.js";
import { unlessThere } from "./unless-there.js";

const name = "serviceaccount-controller";
const account = "default";
const accounts = { group: "", version: "v1", resource: "serviceaccounts" };

/** Keeps a service account `default` in every namespace that is not being deleted. */
export function createServiceAccountController(tools: ControllerTools): Controller {
  const { client, clock, random, naming, telemetry } = tools;
  const failed = failureTeller(tools, name);
  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers: 1,
        work: (namespace, working) => ensure(namespace, working),
        clock,
        observer: telemetry.queue("serviceaccount"),
        onError: (error, namespace) => failed(error, { namespace }),
      });
      const look = (namespace: string | undefined): void => queue.add(namespace ?? "");
      const namespaces = watchNamespaces(tools, {
        handlers: { added: ({ metadata }) => look(metadata.name), modified: ({ metadata }) => look(metadata.name) },
        onError: failed,
      });
      const known = createReflector({
        client,
        collection: accounts,
        fieldSelector: `metadata.name=${account}`,
        accept: metadataOnly(naming),
        keep: identityOnly,
        clock,
        random,
        handlers: { deleted: ({ metadata }) => look(metadata.namespace) },
        onError: failed,
      });
      const ensure = async (namespace: string, working: AbortSignal): Promise<Outcome> => {
        const object = namespaces.store.get(namespace);
        if (object === undefined || isTerminating(object)) return "done";
        if (known.store.has(`${namespace}/${account}`)) return "done";
        await client
          .create({ ...accounts, namespace }, { metadata: { name: account, namespace } }, { signal: working })
          .catch(unlessThere);
        return "done";
      };
      const following = [namespaces.run(signal), known.run(signal)];
      await Promise.race([Promise.all([namespaces.synced, known.synced]), ...following]);
      await Promise.all([...following, queue.run(signal)]);
    },
  };
}
