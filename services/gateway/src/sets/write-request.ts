import type { WriteRequest, WriteVerb } from "@orch/rpc/methods.js";
import type { Negotiated } from "../call.js";
import { maxBodyBytes, optionsOf } from "../writes.js";
import type { SetChange } from "./change.js";

/** The request as the resource service takes it. Its body is not told to the audit log: those of its objects are. */
export async function writeRequest({ call, wanted }: Pick<SetChange, "call" | "wanted">): Promise<WriteRequest> {
  const { request, user, audit } = call;
  return {
    verb: writeVerb(call),
    ...wanted.subject.route.target,
    body: await request.body(maxBodyBytes),
    contentType: request.header("content-type") ?? "",
    options: optionsOf(request.query),
    form: "",
    user,
    userAgent: request.header("user-agent") ?? "",
    ifMatch: request.header("if-match") ?? "",
    auditId: request.id,
    audit: audit?.wanted,
  };
}

function writeVerb({ verb }: Negotiated): WriteVerb {
  switch (verb) {
    case "create":
    case "update":
    case "patch":
    case "delete":
      return verb;
    default:
      throw new TypeError(`${verb} is no write of a set`);
  }
}
