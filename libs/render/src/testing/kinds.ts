import { type Kind, loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";

export const naming = createNaming("orch");
export const catalog = loadCatalog(naming);

/** Every version of every kind that is stored, whichever release serves it, by `apps/v1.Deployment`. */
export function allVersions(): ReadonlyMap<string, Kind> {
  const found = new Map<string, Kind>();
  for (let minor = 16; minor <= 32; minor++) {
    const served = loadCatalog(naming, { release: `1.${minor}`, runtimeConfig: ["api/all=true"] });
    for (const { name, versions } of served.groups()) {
      for (const version of versions) {
        for (const { apiVersion, kind, verbs } of served.kindsOf(name, version)) {
          const own = catalog.kind(apiVersion, kind);
          if (own !== undefined && verbs.includes("get")) found.set(`${apiVersion}.${kind}`, own);
        }
      }
    }
  }
  return found;
}
