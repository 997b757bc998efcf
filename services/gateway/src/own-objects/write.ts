import type { Naming } from "@orch/naming/naming.js";
import type { Peers } from "@orch/rpc/group-peers.js";
import type { WriteReply, WriteVerb } from "@orch/rpc/messages.js";
import { resourceWrite } from "@orch/rpc/methods.js";
import { ApiError } from "@orch/status/api-error.js";

/** Objects of one kind in the system's namespace, which a gateway writes itself. */
export interface OwnKind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface OwnWriteDeps {
  readonly naming: Naming;
  readonly resources: Peers;
}

const deadlineMs = 10_000;

/** Writes these fields of an object, and creates the object if it does not exist. @throws ApiError */
export async function writeOwn(deps: OwnWriteDeps, kind: OwnKind, name: string, fields: object): Promise<void> {
  try {
    await send(deps, kind, { verb: "patch", name, object: fields });
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "NotFound")) throw error;
    const { metadata, ...rest }: { readonly metadata?: object } = fields;
    await send(deps, kind, { verb: "create", name: "", object: { metadata: { ...metadata, name }, ...rest } });
  }
}

/** Writes these fields of an object that is there, in any namespace. @throws ApiError */
export async function patchOwn(
  deps: OwnWriteDeps,
  kind: OwnKind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  fields: object,
): Promise<void> {
  await send(deps, kind, { verb: "patch", namespace, name, object: fields });
}

interface Sent {
  readonly verb: WriteVerb;
  /** The system's where absent. */
  readonly namespace?: string;
  readonly name: string;
  readonly object: object;
}

function send({ naming, resources }: OwnWriteDeps, kind: OwnKind, sent: Sent): Promise<WriteReply> {
  const { verb, namespace = naming.systemName("system"), name, object } = sent;
  return resources.of(kind.group).call(
    resourceWrite,
    {
      ...kind,
      ...{ verb, name, subresource: "", namespace },
      body: Buffer.from(JSON.stringify(object)),
      contentType: verb === "patch" ? "application/merge-patch+json" : "application/json",
      ...{ options: {}, form: "", ifMatch: "", userAgent: naming.systemName("apiserver") },
      user: { name: "system:apiserver", uid: "", groups: [naming.mastersGroup], extra: {} },
    },
    { deadlineMs },
  );
}
