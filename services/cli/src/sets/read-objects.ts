import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { isRecord } from "@orch/client/objects.js";
import { splitDocuments } from "@orch/codec/configuration-document.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";

const extensions: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"]);

/**
 * The objects of files and of the files of folders, in their order; `-` is standard input. The items of lists stand for
 * themselves. @throws Error that names the file which cannot be read
 */
export function readObjectFiles(paths: readonly string[]): readonly object[] {
  return paths.flatMap(filesOf).flatMap((path) => {
    const text = readFileSync(path === "-" ? 0 : path, "utf8");
    return objectsIn(text, path);
  });
}

function filesOf(path: string): readonly string[] {
  if (path === "-" || !statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => extensions.has(extname(name)));
  if (names.length === 0) throw new Error(`${path}: no files that end with ${[...extensions].join(", ")}`);
  return names.sort().map((name) => join(path, name));
}

/** The objects of a text of YAML or JSON. @throws Error */
export function objectsIn(text: string, path: string): readonly object[] {
  return splitDocuments(text).flatMap((document, i) => {
    const parsed = parseYaml(Buffer.from(document));
    const at = `${path}, document ${i + 1}`;
    if (!parsed.ok) throw new Error(`${at}: ${parsed.problem}`);
    const { value } = parsed;
    if (!isRecord(value)) throw new Error(`${at}: no object`);
    const isList = typeof value["kind"] === "string" && value["kind"].endsWith("List") && Array.isArray(value["items"]);
    const items: readonly unknown[] = isList ? list(value["items"]) : [value];
    return items.map((item) => {
      if (!isRecord(item)) throw new Error(`${at}: an item is no object`);
      return item;
    });
  });
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
