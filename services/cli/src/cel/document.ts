import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { Unusable, type World } from "./world.js";

/** The one document of a YAML or JSON file. */
export function readDocument(path: string, world: World): unknown {
  const read = parseYaml(world.files.read(path));
  if (!read.ok) throw new Unusable(`${path}: ${read.problem}`);
  return read.value;
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
