import type { Kind } from "@orch/api/catalog.js";
import type { WriteVerb } from "@orch/rpc/messages.js";
import type { Write, WriteDeps } from "./write.js";

/** A write that the server does by itself, as a client would ask for it. */
export function ownWrite(
  deps: WriteDeps,
  kind: Kind,
  { verb, object }: { readonly verb: WriteVerb; readonly object: { readonly metadata?: object } },
): Write {
  const name: unknown = Reflect.get(object.metadata ?? {}, "name");
  const request = {
    verb,
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    subresource: "",
    namespace: "",
    name: verb === "create" || typeof name !== "string" ? "" : name,
    body: Buffer.from(JSON.stringify(object)),
    contentType: "application/json",
    options: {},
    form: "",
    user: { name: "system:apiserver", uid: "", groups: [deps.naming.mastersGroup], extra: {} },
    userAgent: deps.naming.systemName("apiserver"),
    ifMatch: "",
  };
  return { deps, kind, requested: kind, request };
}
