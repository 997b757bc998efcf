import type { TestContext } from "node:test";
import { clusterWide } from "./admitted.js";
import { type Hooked, hooked } from "./webhooks.js";

const group = "wh.example.com";
const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const spec = { ...any, properties: { n: { type: "integer" }, d: { type: "string", default: "D" } } };

function definition(plural: string, kind: string, scope: string, versions: readonly string[]): object {
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec, status: any } } };
  const version = (name: string) => ({
    ...{ name, served: true, storage: name === "v1", schema },
    subresources: { status: {}, scale },
  });
  const names = { plural, kind, singular: kind.toLowerCase() };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names, versions: versions.map(version) },
  };
}

/** Two kinds of wh.example.com and two namespaces, as the reference had them when it was observed. */
export async function thingsCluster(t: TestContext): Promise<Hooked> {
  const one = await hooked(t, { disabled: ["NamespaceLifecycle"] });
  const definitions = clusterWide("customresourcedefinitions", "apiextensions.k8s.io");
  await one.make(definitions, definition("things", "Thing", "Namespaced", ["v1", "v2"]));
  await one.make(definitions, definition("globals", "Global", "Cluster", ["v1"]));
  const labelled = (name: string, team: string) => ({ metadata: { name, labels: { team } } });
  await one.make(clusterWide("namespaces", ""), labelled("obs", "a"));
  await one.make(clusterWide("namespaces", ""), labelled("other", "b"));
  await one.settled();
  return one;
}
