import { parseSigningRequest } from "@orch/api/kinds/certificates/signing-request.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import type { ControllerTools } from "../tools.js";
import { createRequestController } from "./request-queue.js";
import { refusal, signerName } from "./signers.js";
import { hasCondition, signingRequests, viewOf, withCondition } from "./signing-request.js";

const name = "certificatesigningrequest-approving-controller";

/** Approves requests of nodes for client certificates, where the one who asks may ask for that. */
export function createApprovingController(tools: ControllerTools): Controller {
  const work = (object: ApiObject, signal: AbortSignal) => approve(object, tools, signal);
  return createRequestController({ name, queue: "csrapproving", work }, tools);
}

type ApprovingTools = Pick<ControllerTools, "client" | "naming" | "clock">;

/** Looks at one request; `retry` where it is a node's and its sender may not (yet) ask for it. */
export async function approve(object: ApiObject, tools: ApprovingTools, signal: AbortSignal): Promise<Outcome> {
  const { client, naming, clock } = tools;
  const view = viewOf(object);
  if (view.certificate !== "" || hasCondition(view, "Approved") || hasCondition(view, "Denied")) return "done";
  if (view.signerName !== signerName("agent-client", naming)) return "done";
  const parsed = parseSigningRequest(view.request);
  if (typeof parsed === "string" || refusal("agent-client", parsed, view.usages) !== undefined) return "done";
  const ways = [
    ...(view.username === parsed.commonName
      ? [["selfnodeclient", "Auto approving self kubelet client certificate"]]
      : []),
    ["nodeclient", "Auto approving kubelet client certificate"],
  ] as const;
  for (const [subresource = "", message = ""] of ways) {
    if (!(await mayAsk(object, subresource, tools, signal))) continue;
    const condition = { type: "Approved", reason: "AutoApproved", message: `${message} after SubjectAccessReview.` };
    const approved = withCondition(object, { ...condition, now: clock.now() });
    await client.update(signingRequests(naming), approved, { subresource: "approval", signal });
    return "done";
  }
  return "retry";
}

/** Whether the sender of the request may create its subresource. */
async function mayAsk(
  { spec }: ApiObject,
  subresource: string,
  { client, naming }: ApprovingTools,
  signal: AbortSignal,
): Promise<boolean> {
  const { username: user, uid, groups, extra } = isRecord(spec) ? spec : {};
  const { group, resource } = signingRequests(naming);
  const resourceAttributes = { group, version: "*", resource, subresource, verb: "create" };
  const review = await client.create(
    { group: naming.group("authorization"), version: "v1", resource: "subjectaccessreviews" },
    { metadata: {}, spec: { user, uid, groups, extra, resourceAttributes } },
    { signal },
  );
  return isRecord(review["status"]) && review["status"]["allowed"] === true;
}
