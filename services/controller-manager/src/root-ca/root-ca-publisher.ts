import { identityOnly } from "@orch/client/metadata-only.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import type { Controller } from "../controller.js";
import { createNamespaceController } from "../in-every-namespace.js";
import type { ControllerTools } from "../tools.js";
import { unlessThere } from "../unless-there.js";

const configMaps = { group: "", version: "v1", resource: "configmaps" };
const dataKey = "ca.crt";
const description =
  "The CA bundle by which pods know the API server where they reach it inside of the cluster. Meant for nothing else.";

/** Keeps a config map with the root CA (PEM) in every namespace that is not being deleted, for its pods' tokens. */
export function createRootCaPublisher({ rootCa }: { readonly rootCa: string }, tools: ControllerTools): Controller {
  const { client, naming } = tools;
  const mapName = naming.systemName("root-ca.crt");
  const annotation = naming.key("description");
  const isRight = ({ metadata, data }: ApiObject): boolean =>
    isRecord(data) &&
    Object.keys(data).length === 1 &&
    data[dataKey] === rootCa &&
    (metadata.annotations?.[annotation] ?? "") !== "";

  return createNamespaceController(
    {
      name: "root-ca-certificate-publisher-controller",
      queue: "root_ca_cert_publisher",
      collection: configMaps,
      objectName: mapName,
      sees: "objects",
      // What has to be righted is kept whole: its account may write config maps and get none.
      keep: (map) => (isRight(map) ? { ...identityOnly(map), right: true } : map),
      async ensure(namespace, known, signal) {
        if (known?.["right"] === true) return;
        const place = { ...configMaps, namespace };
        if (known === undefined) {
          const metadata = { name: mapName, namespace, annotations: { [annotation]: description } };
          await client.create(place, { metadata, data: { [dataKey]: rootCa } }, { signal }).catch(unlessThere);
          return;
        }
        const { binaryData: _other, ...rest } = known;
        const annotations = { ...known.metadata.annotations, [annotation]: description };
        const righted = { ...rest, metadata: { ...known.metadata, annotations }, data: { [dataKey]: rootCa } };
        await client.update(place, righted, { signal });
      },
    },
    tools,
  );
}
