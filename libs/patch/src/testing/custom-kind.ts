import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { openApiSchema } from "../apply/openapi-schema.js";
import { deducedValue, type Schema } from "../apply/schema.js";
import type { Step, VectorKind } from "./vectors.js";

const group = "example.com";

export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

/**
 * The custom kind of the vectors: versions with a schema each, or none at all. Version v1beta1 calls `count` what is
 * `replicas` in the others.
 */
export function customKind(sources: readonly NamedSchema[]): (schemas: Step["schemas"]) => VectorKind {
  const compiled = new Map(sources.map(({ name, schema }) => [name, openApiSchema(schema)]));
  return (schemas = {}) => ({
    versions: {
      type: (apiVersion) => typeOf(compiled, schemas, apiVersion),
      convert,
    },
    finish: (object) => object,
  });
}

function typeOf(
  compiled: ReadonlyMap<string, Schema>,
  schemas: Readonly<Record<string, string>>,
  apiVersion: string,
): Schema | undefined {
  const [owner, version = ""] = apiVersion.split("/");
  const name = owner === group ? schemas[version] : undefined;
  return name === "" ? deducedValue : compiled.get(name ?? "");
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
