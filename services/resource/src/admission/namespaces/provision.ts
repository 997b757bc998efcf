import type { Kind } from "@orch/api/catalog.js";
import { create } from "../../write/create.js";
import { ownWrite, refuseOthers } from "../../write/own-write.js";
import type { WriteDeps } from "../../write/write.js";

export const namespaceAutoProvisionName = "NamespaceAutoProvision";

/** Makes the namespace in which something is to be created. @throws ApiError Invalid for a name that none can have */
export async function provisionNamespace(deps: WriteDeps, kind: Kind, name: string): Promise<void> {
  await create(ownWrite(deps, kind, { verb: "create", object: { metadata: { name } } })).catch(refuseOthers);
}
