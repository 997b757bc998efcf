import { complete } from "@orch/schema/complete.js";
import {
  field,
  type JsonObject,
  type ListKind,
  type MessageType,
  message,
  type Type,
} from "@orch/schema/descriptor.js";
import type { FieldWrite } from "../apply/field-write.js";
import { emptySet } from "../fields/field-set.js";

/** A small kind with a field of every sort, for tests that need no reference. */
const text: Type = { kind: "string" };
const texts: Type = { kind: "map", value: text, mapType: "granular" };

function list(item: Type, listType: ListKind, keys: readonly string[] = []): Type {
  return { kind: "list", item, listType, keys, wrapped: false };
}

const optional = (name: string, type: Type) => field({ name, type, omitempty: true });

const port = message({
  name: "Port",
  fields: () => [
    field({ name: "port", type: { kind: "int32" } }),
    field({ name: "protocol", type: text, omitempty: true, default: "TCP" }),
    optional("name", text),
  ],
});

const part = message({
  name: "Part",
  fields: () => [
    field({ name: "name", type: text }),
    optional("value", text),
    optional("parts", list(part, "map", ["name"])),
  ],
});

const spec = message({
  name: "Spec",
  fields: () => [
    optional("text", text),
    optional("count", { kind: "int32" }),
    optional("tags", list(text, "set")),
    optional("ports", list(port, "map", ["port", "protocol"])),
    optional("parts", list(part, "map", ["name"])),
    optional("rows", list(text, "atomic")),
    optional("labels", texts),
    optional("selector", { kind: "map", value: text, mapType: "atomic" }),
    optional("any", { kind: "any" }),
    field({ name: "raw", type: { kind: "raw" }, omitempty: true, pointer: true }),
  ],
});

const meta = message({
  name: "Meta",
  fields: () => [
    optional("name", text),
    optional("uid", text),
    optional("labels", texts),
    optional("annotations", texts),
    optional("finalizers", list(text, "set")),
    field({ name: "creationTimestamp", type: { kind: "time" }, omitempty: true }),
    optional("managedFields", list({ kind: "raw" }, "atomic")),
  ],
});

export const settings: MessageType = message({
  name: "Settings",
  object: true,
  fields: () => [optional("metadata", meta), optional("spec", spec)],
});

/** A whole object of the kind. */
export function setting(specification: JsonObject, metadata: JsonObject = {}): JsonObject {
  return complete(settings, {
    apiVersion: "v1",
    kind: "Settings",
    metadata: { name: "s", ...metadata },
    spec: specification,
  });
}

/** What a client sends to apply. */
export function configuration(specification: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "Settings", metadata: { name: "s" }, spec: specification };
}

export function writeBy(manager: string, minute = 0): FieldWrite & { readonly force: boolean } {
  return {
    versions: { type: (apiVersion) => (apiVersion === "v1" ? settings : undefined), convert: (object) => object },
    kind: { group: "", kind: "Settings" },
    apiVersion: "v1",
    subresource: "",
    manager,
    now: `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`,
    ignored: () => emptySet,
    force: false,
  };
}
