import { answerError } from "@orch/client/http/failure.js";
import type { Naming } from "@orch/naming/naming.js";
import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { resourceWrite, watchCacheGet } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { ApiError, modified } from "@orch/status/api-error.js";
import type { Target } from "@orch/status/target.js";
import { type ObjectSet, readSet, type SetStatus } from "./set-object.js";

export interface RecordDeps {
  readonly naming: Naming;
  readonly resources: (group: string) => Caller;
  readonly caches: (group: string) => Caller;
}

const deadlineMs = 10_000;

/** A refusal that has warnings beside is an answer of the resource service. @throws ApiError */
export function checkReply({ code, body }: Pick<WriteReply, "code" | "body">): void {
  if (code >= 400) throw answerError(code, body);
}

/** What is stored of a set, by its resource service. The status is nobody's to write but the gateway's. */
export interface SetRecord {
  /** As a client sent it; a dry run is answered with all that it says. @throws ApiError */
  write(request: WriteRequest): Promise<{ readonly reply: WriteReply; readonly set: ObjectSet }>;
  /** The same of a deletion, whose answer may be a Status. @throws ApiError */
  send(request: WriteRequest): Promise<WriteReply>;
  /** @throws ApiError NotFound */
  read(target: Target): Promise<ObjectSet>;
  /** Begins a change on exactly that version of the set. @throws ApiError Conflict */
  begin(target: Target, status: SetStatus, resourceVersion: string): Promise<void>;
  /** Ends the change with this id, in the form that the client wants. @throws ApiError Conflict where it is another's now */
  end(target: Target, status: SetStatus, options: { readonly id: string; readonly form: string }): Promise<WriteReply>;
}

export function createRecord({ naming, resources, caches }: RecordDeps): SetRecord {
  const patchStatus = (
    target: Target,
    operations: readonly object[],
    more: { readonly form: string; readonly ifMatch: string },
  ) =>
    resources(target.group).call(
      resourceWrite,
      {
        ...target,
        ...{ verb: "patch" as const, subresource: "status", options: {}, ...more },
        body: Buffer.from(JSON.stringify(operations)),
        contentType: "application/json-patch+json",
        userAgent: naming.systemName("apiserver"),
        user: { name: "system:apiserver", uid: "", groups: [naming.mastersGroup], extra: {} },
      },
      { deadlineMs },
    );
  return {
    async write(request) {
      const reply = await resources(request.group).call(resourceWrite, { ...request, form: "" }, { deadlineMs });
      checkReply(reply);
      return { reply, set: readSet(reply.body) };
    },
    send: (request) => resources(request.group).call(resourceWrite, request, { deadlineMs }),
    async read(target) {
      const request = { ...target, resourceVersion: "", form: "" };
      return readSet((await caches(target.group).call(watchCacheGet, request, { deadlineMs })).body);
    },
    async begin(target, status, ifMatch) {
      await patchStatus(target, [{ op: "add", path: "/status", value: status }], { form: "", ifMatch });
    },
    async end(target, status, { id, form }) {
      const operations = [
        { op: "test", path: "/status/operation/id", value: id },
        { op: "add", path: "/status", value: status },
      ];
      try {
        return await patchStatus(target, operations, { form, ifMatch: "" });
      } catch (error) {
        // The state is one that the kind takes: it is the test that failed.
        const isOther = error instanceof ApiError && error.reason === "Invalid";
        throw isOther ? modified({ group: target.group, resource: target.resource }, target.name) : error;
      }
    },
  };
}
