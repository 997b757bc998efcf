import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { hooked } from "../../testing/webhooks.js";

const map = { metadata: { name: "a" } };
const dry = { options: { dryRun: "All" } };
const longMs = 60_000;

test("a webhook has as long as its configuration says, or as the writer waits, if that is less", async (t) => {
  const { write, asked, configure } = await hooked(t);
  await configure("Validating", "v", [{ timeoutSeconds: 2 }, { timeoutSeconds: 30 }]);
  const given = async (deadlineMs: number): Promise<readonly number[]> => {
    asked.length = 0;
    await write(dry, map, { deadlineMs });
    return asked.map(({ timeoutMs }) => timeoutMs);
  };
  assert.deepEqual(await given(longMs), [2000, 30_000]);
  const [first, second = 0] = await given(10_000);
  assert.equal(first, 2000);
  assert.ok(second > 0 && second <= 10_000, String(second));
});

test("a writer that waits no longer is told so, whatever the failure policy", async (t) => {
  const { write, react, configure } = await hooked(t);
  await configure("Mutating", "m", [{ failurePolicy: "Ignore" }]);
  react(() => ({ reply: { type: "failed", failure: "timeout", message: "context deadline exceeded", status: 0 } }));
  const refused = await write(dry, map, { deadlineMs: 9_000 }).catch((error: unknown) => error);
  assert.ok(refused instanceof ApiError);
  assert.deepEqual(
    [refused.code, refused.message],
    [504, "Timeout: request did not complete within the allotted timeout"],
  );
  assert.equal((await write(dry, map, { deadlineMs: longMs })).code, 201, "the webhook's own time is another matter");
});
