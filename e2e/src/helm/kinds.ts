import type { ApiObject, Collection } from "@orch/client/objects.js";

/** Kinds that the chart makes and that belong to no namespace. */
const clusterWide = new Set(["PriorityClass", "Namespace", "CustomResourceDefinition"]);

/** Where an object of the chart is kept. */
export function collectionOf({ apiVersion = "", kind = "", metadata }: ApiObject, namespace: string): Collection {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const resource = `${kind.toLowerCase().replace(/y$/, "ie").replace(/ss$/, "sse")}s`;
  return clusterWide.has(kind)
    ? { group, version, resource }
    : { group, version, resource, namespace: metadata.namespace ?? namespace };
}

/** A definition of a kind that others' operators bring along, as loose as can be. */
export function definitionOf(group: string, version: string, kind: string): ApiObject {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, singular, plural: `${singular}s`, listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

/** What the chart makes for operators of others. */
export const foreignDefinitions: readonly ApiObject[] = [
  definitionOf("monitoring.coreos.com", "v1", "ServiceMonitor"),
  definitionOf("monitoring.coreos.com", "v1", "PrometheusRule"),
  definitionOf("cert-manager.io", "v1", "Certificate"),
  definitionOf("cert-manager.io", "v1", "Issuer"),
];
