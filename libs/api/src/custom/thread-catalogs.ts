import { readJson } from "@orch/status/read-json.js";
import type { Catalog } from "../catalog.js";
import type { AnyObject } from "../object.js";
import type { DefinitionText } from "./definition-text.js";
import { createLiveCatalog } from "./live-catalog.js";

/** Of so many definitions a thread keeps the kinds that it has compiled. */
const keptCatalogs = 64;

/** In a thread: the catalog in which the kinds of a definition are, or that of the built-in kinds where there is none. */
export function createThreadCatalogs(builtIn: Catalog): (definition: DefinitionText | undefined) => Catalog {
  const kept = new Map<string, Catalog>();
  return (definition) => {
    if (definition === undefined) return builtIn;
    const key = `${definition.name}@${definition.revision}`;
    const catalog = kept.get(key) ?? catalogWith(builtIn, definition);
    // What was used last goes last.
    kept.delete(key);
    kept.set(key, catalog);
    const [oldest] = kept.keys();
    if (kept.size > keptCatalogs && oldest !== undefined) kept.delete(oldest);
    return catalog;
  };
}

function catalogWith(builtIn: Catalog, { json }: DefinitionText): Catalog {
  const live = createLiveCatalog(builtIn);
  const object: AnyObject = readJson(Buffer.from(json).toString("utf8"));
  live.changed(object);
  return live.now;
}
