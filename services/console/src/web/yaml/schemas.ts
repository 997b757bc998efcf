import { isTree, listAt, type Tree, textAt, textsAt, treeAt } from "../json.js";

/** The schemas of a group-version, as OpenAPI v3 has them. */
export interface Schemas {
  /** That of a kind. */
  readonly root: Tree | undefined;
  readonly resolve: (schema: Tree) => Tree;
}

const refStart = "#/components/schemas/";
/** References that lead to references end somewhere. */
const mostHops = 8;

export function schemasFor(
  document: unknown,
  wanted: { readonly group: string; readonly version: string; readonly kind: string },
): Schemas {
  const all = treeAt(document, "components", "schemas");
  const root = Object.values(all).find((schema) => isTree(schema) && isOf(schema, wanted));
  const resolve = (schema: Tree): Tree => {
    let at = schema;
    for (let hops = 0; hops < mostHops; hops++) {
      const ref = textAt(at, "$ref") || textAt(listAt(at, "allOf")[0], "$ref");
      if (!ref.startsWith(refStart)) return at;
      const description = textAt(at, "description");
      const target = treeAt(all, ref.slice(refStart.length));
      at = description === "" ? target : { ...target, description };
    }
    return at;
  };
  return { root: isTree(root) ? root : undefined, resolve };
}

/** The extension that names a schema's kinds: each dialect spells its beginning in its own way. */
function isOf(
  schema: Tree,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): boolean {
  const name = Object.keys(schema).find((key) => key.endsWith("-group-version-kind"));
  if (name === undefined) return false;
  return listAt(schema, name).some(
    (of) => textAt(of, "group") === group && textAt(of, "version") === version && textAt(of, "kind") === kind,
  );
}

/** The schema below a path of keys; `-` is any item of a list. */
export function schemaAt({ root, resolve }: Schemas, path: readonly string[]): Tree | undefined {
  let at = root === undefined ? undefined : resolve(root);
  for (const step of path) {
    if (at === undefined) return undefined;
    const next: unknown = step === "-" ? at["items"] : (treeAt(at, "properties")[step] ?? at["additionalProperties"]);
    at = isTree(next) ? resolve(next) : undefined;
  }
  return at;
}

/** What a field is, in a word or two: `string`, `[]object`, `map of string`. */
export function typeName(schema: Tree, resolve: Schemas["resolve"]): string {
  const type = textAt(schema, "type");
  if (type === "array") return `[]${typeName(resolve(treeAt(schema, "items")), resolve)}`;
  if (type === "object" && isTree(schema["additionalProperties"]))
    return `map of ${typeName(resolve(schema["additionalProperties"]), resolve)}`;
  if (textsAt(schema, "enum").length > 0) return "choice";
  return type || "any";
}
