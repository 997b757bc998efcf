import type { Catalog } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import { type Encoding, plainForm } from "@orch/render/form.js";
import { createRenderers } from "@orch/render/renderers.js";
import type { ApiError } from "@orch/status/api-error.js";

/** ERROR events, which are the same for every kind, as the watch caches write them. */
export function createErrorEvents(
  catalog: Catalog,
  { metaGroup }: Pick<Naming, "metaGroup">,
): (encoding: Encoding, error: ApiError) => Buffer {
  const renderers = createRenderers(catalog, metaGroup);
  const kind = catalog.find("", "v1", "namespaces");
  if (kind === undefined) throw new TypeError("the catalog has no namespaces");
  return (encoding, error) => renderers.of(kind, { ...plainForm, encoding }, "").error({ ...error.toStatus() });
}
