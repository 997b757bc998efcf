import assert from "node:assert/strict";
import type { Answer } from "./http.js";

/** Checks a Status body of a failure: the code in both places, the reason, and the message. */
export function assertFailure(
  answer: Answer,
  expected: { readonly code: number; readonly reason: string; readonly message?: RegExp | string },
): void {
  assert.equal(answer.status, expected.code, answer.text);
  const { code, reason } = expected;
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason, code };
  for (const [field, value] of Object.entries(body)) assert.equal(answer.at(field), value, answer.text);
  const message = answer.at("message");
  if (expected.message instanceof RegExp) assert.match(String(message), expected.message);
  else if (expected.message !== undefined) assert.equal(message, expected.message);
}

/** An answer that has to be a success. */
export async function done(answer: Promise<Answer>): Promise<Answer> {
  const settled = await answer;
  assert.ok(settled.status === 200 || settled.status === 201, `${settled.status} ${settled.text}`);
  return settled;
}
