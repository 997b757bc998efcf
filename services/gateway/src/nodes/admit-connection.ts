import { resourceAdmit } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { ApiError } from "@orch/status/api-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { readJson } from "@orch/status/read-json.js";
import type { Target } from "@orch/status/target.js";
import type { Negotiated } from "../call.js";

/** What came of the options of a connection. */
export interface AdmittedOptions {
  /** As admission left them. */
  readonly options: JsonObject;
  readonly warnings: readonly string[];
}

/** Asks whoever has to be asked before a connection is made: webhooks and policies. @throws ApiError of who refuses it */
export type AdmitConnection = (call: Negotiated, target: Target, options: JsonObject) => Promise<AdmittedOptions>;

export interface ConnectionAdmissionDeps {
  readonly resources: (group: string) => Caller;
  readonly requestTimeoutMs: number;
}

/** Has them asked by the service of the resource's group, which knows who they are. */
export function createConnectionAdmission({ resources, requestTimeoutMs }: ConnectionAdmissionDeps): AdmitConnection {
  return async ({ request, response, user, audit }, target, options) => {
    const [subresource = ""] = target.subresource.split("/", 1);
    const asked = {
      ...{ verb: "create" as const, ...target, subresource, user },
      body: Buffer.from(jsonText(options)),
      contentType: "application/json",
      ...{ options: {}, form: "", ifMatch: "" },
      userAgent: request.header("user-agent") ?? "",
      audit: audit?.wanted,
    };
    const reply = await resources(target.group).call(resourceAdmit, asked, { deadlineMs: requestTimeoutMs });
    response.waitedMs += reply.waitedMs ?? 0;
    if (reply.annotations !== undefined) audit?.annotate(Object.entries(reply.annotations));
    const { code, warnings } = reply;
    const tree = reply.body.length === 0 ? options : readJson(reply.body.toString());
    if (!isObject(tree)) throw new ApiError("InternalError", "what admission left of a connection is no object");
    if (code >= 400) throw ApiError.fromStatus({ ...tree, code }).withWarnings(warnings);
    return { options: tree, warnings };
  };
}
