import { listAll } from "@orch/client/list-all.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { type Cluster, collections } from "../cluster.js";
import { namesOf } from "../objects/names.js";
import type { Tools } from "../world.js";

/** A node as an upgrade sees it. */
export interface NodeFacts {
  readonly name: string;
  /** Of its agent; empty where it tells none. */
  readonly agentVersion: string;
  readonly isControlPlane: boolean;
  readonly isReady: boolean;
  /** Of its container runtime; empty where it has none. */
  readonly criSocket: string;
}

export async function nodesOf({ client }: Cluster, { naming }: Pick<Tools, "naming">): Promise<readonly NodeFacts[]> {
  const { items } = await listAll(client, collections.nodes);
  return items.map((node) => factsOf(node, naming)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function factsOf({ metadata, status }: ApiObject, naming: Tools["naming"]): NodeFacts {
  const { program, controlPlaneRole } = namesOf(naming);
  const { nodeInfo, conditions }: Readonly<Record<string, unknown>> = isRecord(status) ? status : {};
  // The field has the reference's name in both dialects.
  const version: unknown = isRecord(nodeInfo) ? nodeInfo["kubeletVersion"] : undefined;
  const ready = (Array.isArray(conditions) ? conditions : []).find(
    (each: unknown) => isRecord(each) && each["type"] === "Ready",
  );
  return {
    name: metadata.name ?? "",
    agentVersion: typeof version === "string" ? version : "",
    isControlPlane: metadata.labels?.[controlPlaneRole] !== undefined,
    isReady: isRecord(ready) && ready["status"] === "True",
    criSocket: metadata.annotations?.[`${program}.alpha.${naming.key("cri-socket")}`] ?? "",
  };
}
