import { definitionKind } from "@orch/api/custom/definition.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import { withMetadata } from "@orch/api/object.js";
import { objectOf } from "@orch/codec/json.js";
import type { Naming } from "@orch/naming/naming.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { longestName } from "../write/write.js";

interface Learning {
  readonly store: Store;
  readonly naming: Naming;
  readonly catalog: LiveCatalog;
}

/**
 * Reads the definition of a resource that the catalog does not know: it may be newer than what the service has heard of. A
 * definition's name says what it defines.
 */
export async function learnDefinition(
  { store, naming, catalog }: Learning,
  { group, resource }: Pick<WriteRequest, "group" | "resource">,
): Promise<void> {
  const name = `${resource}.${group}`;
  if (!group.includes(".") || name.length > longestName) return;
  const entry = await store.get(key(`${naming.storePrefix}${definitionKind(catalog.builtIn).storage.prefix}/${name}`));
  if (entry === undefined) return;
  const { metadata, ...object } = withMetadata(objectOf(entry.value));
  catalog.learned({ ...object, metadata: { ...metadata, resourceVersion: String(entry.revision) } });
}
