import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Cluster } from "../cluster.js";
import type { Tools } from "../world.js";
import { namesOf } from "./names.js";
import { accessRules } from "./rbac.js";
import { ensureMap } from "./uploads.js";

/** Tells everybody how the cluster is reached; a controller signs it with each token. `ca` is PEM. */
export async function publishClusterInfo(
  cluster: Cluster,
  { server, ca }: { readonly server: string; readonly ca: string },
  { naming }: Tools,
): Promise<void> {
  const names = namesOf(naming);
  const text = printYaml({
    apiVersion: naming.clientConfigApiVersion,
    clusters: [{ cluster: { "certificate-authority-data": Buffer.from(ca).toString("base64"), server }, name: "" }],
    contexts: null,
    "current-context": "",
    kind: "Config",
    preferences: {},
    users: null,
  });
  const { publicNamespace: namespace, clusterInfo: name } = names;
  await ensureMap(cluster, { namespace, name, data: { [names.clusterInfoKey]: text } });
  await accessRules(cluster, naming).role(
    namespace,
    `${names.program}:bootstrap-signer-clusterinfo`,
    [{ verbs: ["get"], resources: ["configmaps"], resourceNames: [name] }],
    [{ kind: "User", name: naming.anonymousUser }],
  );
}
