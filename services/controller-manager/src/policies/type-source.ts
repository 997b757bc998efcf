import { type Catalog, loadCatalog } from "@orch/api/catalog.js";
import type { TypedKind } from "@orch/cel/admission/type-check.js";
import { viewOfJsonSchema } from "@orch/cel/schema/json-schema.js";
import { viewOfType } from "@orch/cel/schema/of-type.js";
import type { SchemaView } from "@orch/cel/schema/view.js";
import type { ApiResource } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http/http.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";

/** What the objects of a served resource are; undefined where nobody says. @throws ApiError */
export type TypeSource = (resource: ApiResource, signal: AbortSignal) => Promise<TypedKind | undefined>;

/**
 * Of a built-in kind what the catalog says, which is read when the first is asked for; of a custom one what its definition
 * says. The published OpenAPI says the same, in megabytes.
 */
export function createTypeSource(client: Pick<Client, "list">, naming: Naming): TypeSource {
  let catalog: Catalog | undefined;
  return async (resource, signal) => {
    catalog ??= loadCatalog(naming);
    const { group, version, kind } = resource;
    const builtIn = catalog.find(group, version, resource.resource);
    const view = builtIn === undefined ? await defined(client, naming, { resource, signal }) : viewOfType(builtIn.type);
    // As messages show a kind: its group, which may be empty, and its version.
    return view && { apiVersion: `${group}/${version}`, kind, name: kind, view };
  };
}

interface Asked {
  readonly resource: ApiResource;
  readonly signal: AbortSignal;
}

interface Definition extends ApiObject {
  readonly spec?: {
    readonly versions?: readonly { readonly name?: string; readonly schema?: { readonly openAPIV3Schema?: object } }[];
  };
}

async function defined(
  client: Pick<Client, "list">,
  naming: Naming,
  { resource: { group, version, resource }, signal }: Asked,
): Promise<SchemaView | undefined> {
  const definitions = { group: naming.group("apiextensions"), version: "v1", resource: "customresourcedefinitions" };
  const fieldSelector = `metadata.name=${resource}.${group}`;
  const { items } = await client.list(definitions, { fieldSelector, signal });
  const [definition]: readonly Definition[] = items;
  const schema = definition?.spec?.versions?.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  return schema && viewOfJsonSchema(schema);
}
