import {
  field,
  type JsonObject,
  type ListType,
  type MessageType,
  message,
  type Type,
} from "@orch/schema/descriptor.js";

const text: Type = { kind: "string" };
const texts: Type = { kind: "map", value: text, mapType: "granular" };
const listOf = (item: Type): ListType => ({ kind: "list", item, listType: "atomic", keys: [], wrapped: false });
const keyed = (mergeKey: string) => ({ strategy: ["merge"], mergeKey }) as const;

const env: MessageType = message({
  name: "test/v1.EnvVar",
  fields: () => [field({ name: "name", type: text }), field({ name: "value", type: text, omitempty: true })],
});
const resources: MessageType = message({
  name: "test/v1.ResourceRequirements",
  fields: () => [field({ name: "limits", type: { kind: "map", value: { kind: "quantity" }, mapType: "granular" } })],
});
const container: MessageType = message({
  name: "test/v1.Container",
  fields: () => [
    field({ name: "name", type: text }),
    field({ name: "image", type: text, omitempty: true }),
    field({ name: "args", type: listOf(text), omitempty: true }),
    field({ name: "env", type: listOf(env), omitempty: true, ...keyed("name") }),
    field({ name: "resources", type: resources, omitempty: true }),
    field({ name: "parts", type: listOf(container), omitempty: true, ...keyed("name") }),
  ],
});
const meta: MessageType = message({
  name: "test/v1.ObjectMeta",
  fields: () => [
    field({ name: "labels", type: texts, omitempty: true }),
    field({ name: "finalizers", type: listOf(text), omitempty: true, strategy: ["merge"] }),
  ],
});
const spec: MessageType = message({
  name: "test/v1.PodSpec",
  fields: () => [
    field({ name: "containers", type: listOf(container), ...keyed("name") }),
    field({ name: "whole", type: texts, strategy: ["replace"] }),
    field({ name: "strategy", type: resources, pointer: true, omitempty: true, strategy: ["retainKeys"] }),
    field({ name: "many", type: { kind: "map", value: resources, mapType: "granular" } }),
    field({ name: "matrix", type: listOf(listOf(text)), strategy: ["merge"] }),
    field({ name: "any", type: { kind: "any" } }),
    field({ name: "pointer", type: { kind: "any" }, pointer: true }),
  ],
});

/** Enough of a Pod's shape to have each rule of strategic merges, and fields that no real one has. */
export const podType: MessageType = message({
  name: "test/v1.Pod",
  object: true,
  fields: () => [field({ name: "metadata", type: meta }), field({ name: "spec", type: spec, omitempty: true })],
});

/** A Pod of so many containers: `c0`, `c1`, … */
export function podOf(containers: number): JsonObject {
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { labels: { app: "a", tier: "b" }, finalizers: ["x", "y"] },
    spec: {
      containers: Array.from({ length: containers }, (_, i) => ({
        name: `c${i}`,
        image: `registry/image-${i}:1`,
        args: ["--port", String(8000 + i)],
        env: Array.from({ length: 10 }, (_, j) => ({ name: `VAR_${j}`, value: `value ${j}` })),
        resources: { limits: { cpu: "1", memory: "1Gi" } },
      })),
    },
  };
}
