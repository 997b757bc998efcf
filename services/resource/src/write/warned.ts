import type { WriteReply } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";
import { rendererOf } from "./reply.js";
import type { Write } from "./write.js";

/**
 * The answer of a write with the warnings of its body: they go along with a refusal, too, as in the reference. One that
 * says when to try again goes without: its header is the gateway's to write.
 */
export async function warned(
  write: Write,
  ofBody: readonly string[],
  run: () => Promise<WriteReply>,
): Promise<WriteReply> {
  try {
    const reply = await run();
    return ofBody.length === 0 ? reply : { ...reply, warnings: [...ofBody, ...reply.warnings] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const warnings = [...ofBody, ...error.warnings];
    if (warnings.length === 0 || error.details?.retryAfterSeconds !== undefined) throw error;
    return { code: error.code, body: rendererOf(write).status({ ...error.toStatus() }), warnings };
  }
}
