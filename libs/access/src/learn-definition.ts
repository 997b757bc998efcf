import { definitionKind } from "@orch/api/custom/definition.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { watchCacheGet } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { ApiError } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import type { Target } from "@orch/status/target.js";

export interface LearningDeps {
  /** The watch caches that answer for a group. */
  readonly caches: (group: string) => Caller;
  readonly catalog: LiveCatalog;
}

const getMs = 5_000;
const longestName = 253;

/**
 * Reads the newest state of the definition of a resource that the catalog does not know: who was told by another service
 * that it is established may be ahead of the catalog's follower. A definition's name says what it defines.
 * @throws ApiError where nobody can be asked
 */
export async function learnDefinition(
  { caches, catalog }: LearningDeps,
  { group: of, resource: plural }: Pick<Target, "group" | "resource">,
): Promise<void> {
  const name = `${plural}.${of}`;
  if (!of.includes(".") || name.length > longestName) return;
  const { group, version, plural: resource } = definitionKind(catalog.builtIn);
  const request = { group, version, resource, namespace: "", name, resourceVersion: "", subresource: "", form: "" };
  try {
    const { body } = await caches(group).call(watchCacheGet, request, { deadlineMs: getMs });
    const definition: AnyObject = readJson(body.toString("utf8"));
    catalog.learned(definition);
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
  }
}
