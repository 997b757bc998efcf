import assert from "node:assert/strict";
import { ApiError } from "@orch/status/api-error.js";

/** The code and text of a refusal: `400 name must be provided`. A warned one is a reply. */
export async function refusal(reply: Promise<unknown>): Promise<string> {
  const error: unknown = await reply.then(
    () => assert.fail("it was accepted"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, String(error));
  return `${error.code} ${error.message}`;
}
