import { identityOnly } from "@orch/client/metadata-only.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { createReflector } from "@orch/client/reflector.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { isTerminating, watchNamespaces } from "../namespaces/namespace-watch.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { unlessThere } from "../unless-there.js";

const name = "root-ca-certificate-publisher-controller";
const configMaps = { group: "", version: "v1", resource: "configmaps" };
const dataKey = "ca.crt";
const description =
  "The CA bundle by which pods know the API server where they reach it inside of the cluster. Meant for nothing else.";

/** Keeps a config map with the root CA (PEM) in every namespace that is not being deleted, for its pods' tokens. */
export function createRootCaPublisher({ rootCa }: { readonly rootCa: string }, tools: ControllerTools): Controller {
  const { client, clock, random, naming, telemetry } = tools;
  const failed = failureTeller(tools, name);
  const mapName = naming.systemName("root-ca.crt");
  const annotation = naming.key("description");
  const isRight = ({ metadata, data }: ApiObject): boolean =>
    isRecord(data) &&
    Object.keys(data).length === 1 &&
    data[dataKey] === rootCa &&
    (metadata.annotations?.[annotation] ?? "") !== "";

  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers: 1,
        work: (namespace, working) => publish(namespace, working),
        clock,
        observer: telemetry.queue("root_ca_cert_publisher"),
        onError: (error, namespace) => failed(error, { namespace }),
      });
      const look = (namespace: string | undefined): void => queue.add(namespace ?? "");
      const namespaces = watchNamespaces(tools, {
        handlers: { added: ({ metadata }) => look(metadata.name), modified: ({ metadata }) => look(metadata.name) },
        onError: failed,
      });
      const published = createReflector({
        client,
        collection: configMaps,
        fieldSelector: `metadata.name=${mapName}`,
        // What has to be righted is kept whole: its account may write config maps and get none.
        keep: (map) => (isRight(map) ? { ...identityOnly(map), right: true } : map),
        clock,
        random,
        handlers: {
          added: ({ metadata }) => look(metadata.namespace),
          modified: ({ metadata }) => look(metadata.namespace),
          deleted: ({ metadata }) => look(metadata.namespace),
        },
        onError: failed,
      });
      const publish = async (namespace: string, working: AbortSignal): Promise<Outcome> => {
        const object = namespaces.store.get(namespace);
        if (object === undefined || isTerminating(object)) return "done";
        const place = { ...configMaps, namespace };
        const known = published.store.get(`${namespace}/${mapName}`);
        if (known?.["right"] === true) return "done";
        if (known === undefined) {
          const metadata = { name: mapName, namespace, annotations: { [annotation]: description } };
          await client.create(place, { metadata, data: { [dataKey]: rootCa } }, { signal: working }).catch(unlessThere);
          return "done";
        }
        const { binaryData: _other, ...rest } = known;
        const annotations = { ...known.metadata.annotations, [annotation]: description };
        const righted = { ...rest, metadata: { ...known.metadata, annotations }, data: { [dataKey]: rootCa } };
        await client.update(place, righted, { signal: working });
        return "done";
      };
      const following = [namespaces.run(signal), published.run(signal)];
      await Promise.race([Promise.all([namespaces.synced, published.synced]), ...following]);
      await Promise.all([...following, queue.run(signal)]);
    },
  };
}
