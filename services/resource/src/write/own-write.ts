import type { Kind } from "@orch/api/catalog.js";
import type { WriteVerb } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Store } from "@orch/store/store.js";
import type { Write, WriteDeps } from "./write.js";

export interface OwnWrite {
  readonly verb: WriteVerb;
  /** `status`; of the whole object where absent. */
  readonly subresource?: string;
  readonly namespace?: string;
  /** Of the object that is updated or deleted. */
  readonly name?: string;
  readonly object?: object;
  /** Whose fields these are, where not the server's own as such. */
  readonly fieldManager?: string;
}

/** A write of the server itself, as if a client of every right had sent it. */
export function ownWrite(deps: WriteDeps, kind: Kind, own: OwnWrite): Write {
  const { verb, subresource = "", namespace = "", name = "", object, fieldManager } = own;
  const request = {
    verb,
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    subresource,
    namespace,
    name,
    body: Buffer.alloc(0),
    contentType: "application/json",
    options: fieldManager === undefined ? {} : { fieldManager },
    form: "",
    user: { name: "system:apiserver", uid: "", groups: [deps.naming.mastersGroup], extra: {} },
    userAgent: deps.naming.systemName("apiserver"),
    ifMatch: "",
  };
  const reserved = { ...deps, store: essential(deps.store) };
  return { deps: reserved, kind, requested: kind, request, own: object };
}

/** What the server itself writes goes on when the store has no room left: without it there is no start. */
function essential(store: Store): Store {
  return { ...store, swap: (change) => store.swap({ ...change, essential: true }), transactions: undefined };
}

/** False: another instance was faster, or a user; the next look tells. */
export function refuseOthers(error: unknown): boolean {
  if (error instanceof ApiError && (error.reason === "AlreadyExists" || error.reason === "Conflict")) return false;
  throw error;
}
