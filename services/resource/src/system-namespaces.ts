import type { Kind } from "@orch/api/catalog.js";
import { ApiError } from "@orch/status/api-error.js";
import { create } from "./create.js";
import type { WriteDeps } from "./write.js";

/** Creates the namespaces that every cluster has; those that are there stay as they are. */
export async function ensureSystemNamespaces({
  deps,
  kind,
}: {
  readonly deps: WriteDeps;
  readonly kind: Kind;
}): Promise<void> {
  for (const name of deps.naming.systemNamespaces) {
    const request = {
      verb: "create",
      group: kind.group,
      version: kind.version,
      resource: kind.plural,
      subresource: "",
      namespace: "",
      name: "",
      body: Buffer.from(JSON.stringify({ metadata: { name } })),
      contentType: "application/json",
      options: {},
      form: "",
      user: { name: "system:apiserver", uid: "", groups: [deps.naming.mastersGroup], extra: {} },
    } as const;
    await create({ deps, kind, requested: kind, request }).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
    });
  }
}
