import { askedByReview } from "@orch/api/writes.js";
import { dryRunOf } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { jsonText } from "@orch/status/json-text.js";
import { readObject } from "../body.js";
import { bodyKindOf } from "../surface.js";
import { warned } from "../warned.js";
import type { Write } from "../write.js";
import { admitPosted } from "./admit-posted.js";

/**
 * Has a review that a gateway answers admitted, or the options of a connection that it makes; the answer is empty where
 * nobody has to do with its kind. @throws ApiError
 */
export async function admitReview(write: Write): Promise<WriteReply> {
  const { deps, requested, request } = write;
  if (!deps.admission.concernsCreate(write)) return { code: 201, body: Buffer.alloc(0), warnings: [] };
  const kind = bodyKindOf(write);
  return warned(write, [], async () => {
    const { object } = readObject(write, kind, "Ignore");
    const dryRun = dryRunOf(request.options).length > 0;
    const admitted = await admitPosted(write, { object, dryRun }, (asked) => {
      if (kind === requested) askedByReview(requested, asked);
    });
    const body = { ...admitted.object, kind: kind.kind, apiVersion: kind.apiVersion };
    return { code: 201, body: Buffer.from(jsonText(body)), warnings: admitted.warnings };
  });
}
