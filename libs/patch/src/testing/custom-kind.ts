import { isObject, type JsonObject, type MessageType } from "@orch/schema/descriptor.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import type { Step, VectorKind } from "./vectors.js";

const group = "example.com";

/** A version without a schema. */
const unknownType = compileSchema({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, { name: "" });

export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
}

/**
 * The custom kind of the vectors: versions with a schema each, or none at all. Version v1beta1 calls `count` what is
 * `replicas` in the others.
 */
export function customKind(sources: readonly NamedSchema[]): (schemas: Step["schemas"]) => VectorKind {
  const compiled = new Map(sources.map(({ name, schema }) => [name, compileSchema(schema, { name })]));
  return (schemas = {}) => ({
    versions: {
      type: (apiVersion) => typeOf(compiled, schemas, apiVersion),
      convert,
    },
    finish: (object) => object,
  });
}

function typeOf(
  compiled: ReadonlyMap<string, MessageType>,
  schemas: Readonly<Record<string, string>>,
  apiVersion: string,
): MessageType | undefined {
  const [owner, version = ""] = apiVersion.split("/");
  const name = owner === group ? schemas[version] : undefined;
  return name === "" ? unknownType : compiled.get(name ?? "");
}

function convert(object: JsonObject, apiVersion: string): JsonObject {
  const from = object["apiVersion"];
  const spec = object["spec"];
  if (!isObject(spec)) return { ...object, apiVersion };
  const toBeta = apiVersion.endsWith("v1beta1");
  const [old, name] = toBeta ? ["replicas", "count"] : ["count", "replicas"];
  if (from === apiVersion || !(old in spec)) return { ...object, apiVersion };
  const { [old]: value, ...rest } = spec;
  return { ...object, apiVersion, spec: { ...rest, [name]: value } };
}
