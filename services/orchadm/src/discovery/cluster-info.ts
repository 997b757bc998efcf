import { isRecord } from "@orch/client/objects.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";

/** Where a cluster is reached and by which authority it is known. */
export interface ClusterInfo {
  readonly server: string;
  /** PEM. */
  readonly ca: string;
}

/** The one cluster that a client configuration tells of. @throws Error in one line */
export function readClusterInfo(text: string): ClusterInfo {
  const read = parseYaml(Buffer.from(text));
  if (!read.ok) throw new Error(`the client configuration of the cluster cannot be read: ${read.problem}`);
  const cluster = clusterIn(read.value);
  const server = cluster?.["server"];
  if (cluster === undefined || typeof server !== "string") throw new Error("the client configuration names no cluster");
  const data = cluster["certificate-authority-data"];
  if (typeof data !== "string" || data === "") {
    throw new Error("the client configuration names no certificate authority");
  }
  return { server, ca: Buffer.from(data, "base64").toString("utf8") };
}

/** That of the current context; without one, the only one there is. */
function clusterIn(tree: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(tree)) return undefined;
  const entries = (field: string): readonly Readonly<Record<string, unknown>>[] => {
    const value = tree[field];
    return Array.isArray(value) ? value.filter(isRecord) : [];
  };
  const context = entries("contexts").find(({ name }) => name === tree["current-context"])?.["context"];
  const wanted: unknown = isRecord(context) ? context["cluster"] : undefined;
  const clusters = entries("clusters");
  const found = wanted === undefined ? clusters[0] : clusters.find(({ name }) => name === wanted);
  const cluster = found?.["cluster"];
  return isRecord(cluster) ? cluster : undefined;
}
