import type { WriteReply } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";

/** Creations that others may get ahead of before the client is told: more than any crowd ever needs. */
const createTries = 100;

/** A change of what is there (undefined: nothing is), else its creation; again where others create it meanwhile. */
export async function changedOrCreated(
  change: () => Promise<WriteReply | undefined>,
  create: () => Promise<WriteReply>,
): Promise<WriteReply> {
  for (let tries = 1; ; tries++) {
    const reply = await change();
    if (reply !== undefined) return reply;
    try {
      return await create();
    } catch (error) {
      const taken = error instanceof ApiError && error.reason === "AlreadyExists";
      if (!taken || tries === createTries) throw error;
    }
  }
}
