import { definitionKind } from "@orch/api/custom/definition.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { Following, ObjectSource } from "@orch/auth/object-source.js";

/** Keeps a catalog in step with the definitions of custom resources. */
export function followDefinitions(source: ObjectSource, catalog: LiveCatalog): Following {
  const { group, version, plural: resource } = definitionKind(catalog.builtIn);
  return source.follow(
    { group, version, resource },
    {
      replaced: catalog.replaced,
      changed: catalog.changed,
      deleted: ({ metadata: { name = "", resourceVersion = "0" } }) => catalog.deleted(name, Number(resourceVersion)),
    },
  );
}
