import { loadCatalog } from "@orch/api/catalog.js";
import { viewOfJsonSchema } from "@orch/cel/schema/json-schema.js";
import { viewOfType } from "@orch/cel/schema/of-type.js";
import type { SchemaView } from "@orch/cel/schema/view.js";
import { readClientConfig } from "@orch/client/config.js";
import { type ApiResource, createDiscovery } from "@orch/client/discovery.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { createNaming, type Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { isObject } from "./document.js";
import { type LiveObject, Unusable, type WantedObject } from "./world.js";

/** Reads an object and what its type is. @throws Unusable or ApiError */
export async function readLiveObject({ reference, orchconfig, namespace, dialect }: WantedObject): Promise<LiveObject> {
  const slash = reference.indexOf("/");
  const [kind, name] = [reference.slice(0, slash), reference.slice(slash + 1)];
  if (slash < 1 || name === "") throw new Unusable(`--object ${reference}: write KIND/NAME`);
  if (orchconfig === undefined) throw new Unusable("--object asks for --orchconfig, or ORCHCONFIG in the environment");
  const config = await readClientConfig(orchconfig).catch((error: unknown) => {
    throw new Unusable(error instanceof Error ? error.message : String(error));
  });
  const client = createClient(config, { userAgent: "orch-cel" });
  try {
    const naming = createNaming(dialect);
    const resource = resourceOf((await createDiscovery(client, naming).read()).preferred, kind);
    if (resource === undefined) throw new Unusable(`--object ${reference}: the server has no ${kind}`);
    const { group, version, resource: plural, namespaced } = resource;
    const where = namespaced ? { namespace: namespace ?? config.namespace } : {};
    const object = await client.get({ group, version, resource: plural, ...where }, name);
    const builtIn = loadCatalog(naming).find(group, version, plural);
    if (builtIn !== undefined) return { object, view: viewOfType(builtIn.type), isCustom: false };
    return { object, view: await definedView(client, resource, naming), isCustom: true };
  } finally {
    await client.close();
  }
}

/** By plural or kind, with the group behind a dot where that is said. */
function resourceOf(resources: readonly ApiResource[], word: string): ApiResource | undefined {
  const wanted = word.toLowerCase();
  return resources.find(({ group, resource, kind }) =>
    [resource, kind.toLowerCase()].some((name) => wanted === name || wanted === `${name}.${group}`),
  );
}

/** What the definition of a custom resource says of its objects; not everybody may read it. */
async function definedView(
  client: Client,
  { group, version, resource }: ApiResource,
  naming: Naming,
): Promise<SchemaView | undefined> {
  const definitions = { group: naming.group("apiextensions"), version: "v1", resource: "customresourcedefinitions" };
  try {
    const definition = await client.get(definitions, `${resource}.${group}`);
    const spec = isObject(definition["spec"]) ? definition["spec"] : {};
    const versions = Array.isArray(spec["versions"]) ? spec["versions"] : [];
    const found: unknown = versions.find((one) => isObject(one) && one["name"] === version);
    const schema = isObject(found) && isObject(found["schema"]) ? found["schema"]["openAPIV3Schema"] : undefined;
    return isObject(schema) ? viewOfJsonSchema(schema) : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
