import { isRecord } from "@orch/client/objects.js";
import { readDocument } from "@orch/codec/configuration-document.js";
import type { ClusterConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { type Cluster, collections } from "../cluster.js";
import { namesOf } from "../objects/names.js";
import type { Tools } from "../world.js";
import { kindsOf } from "./read-file.js";

/** The configuration with which a cluster was set up, as it keeps it. @throws Error where it keeps none that can be read */
export async function storedClusterConfiguration(
  cluster: Pick<Cluster, "get">,
  tools: Tools,
): Promise<ClusterConfiguration> {
  const names = namesOf(tools.naming);
  const text = await storedText(cluster, { name: names.clusterConfiguration, key: "ClusterConfiguration" }, tools);
  const { cluster: kind } = kindsOf(tools);
  const document = readDocument(text);
  if (!document.ok) throw new Error(`the stored ClusterConfiguration cannot be read: ${document.problem}`);
  if (!kind.apiVersions.includes(document.document.apiVersion)) {
    throw new Error(
      `the stored ClusterConfiguration has the version ${document.document.apiVersion}, which this program does not know`,
    );
  }
  const read = kind.read(document.document, { lenient: true });
  const value = read.ok ? kind.from(read.document) : undefined;
  if (value === undefined)
    throw new Error(`the stored ClusterConfiguration is wrong: ${read.ok ? "" : read.problems.join("; ")}`);
  return value;
}

/** The file of a configuration in its newest version, which alone has a place for all that it says. */
export function newestText(value: ClusterConfiguration, tools: Pick<Tools, "naming" | "version">): string {
  const { cluster: kind } = kindsOf(tools);
  return kind.print(value, kind.apiVersions.at(-1));
}

/** The configuration of nodes' agents that a cluster keeps. */
export function storedAgentConfiguration(cluster: Pick<Cluster, "get">, tools: Tools): Promise<string> {
  const names = namesOf(tools.naming);
  return storedText(cluster, { name: names.agentConfiguration, key: names.agentKey }, tools);
}

async function storedText(
  cluster: Pick<Cluster, "get">,
  { name, key }: { readonly name: string; readonly key: string },
  tools: Tools,
): Promise<string> {
  const { systemNamespace } = namesOf(tools.naming);
  const map = await cluster.get(collections.configMaps(systemNamespace), name);
  const data: unknown = map?.["data"];
  const text: unknown = isRecord(data) ? data[key] : undefined;
  if (typeof text !== "string") {
    throw new Error(
      `unable to fetch the ${name} ConfigMap: configmaps ${JSON.stringify(name)} of namespace ${systemNamespace} has no ${key}`,
    );
  }
  return text;
}
