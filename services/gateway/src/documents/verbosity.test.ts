import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { type FakeRequest, fakeExchange } from "../testing/fake-exchange.js";
import { answerVerbosity, verbosityPath } from "./verbosity.js";

async function ask(request: Omit<FakeRequest, "target">) {
  const levels: number[] = [];
  const exchange = fakeExchange({ target: verbosityPath, ...request });
  await answerVerbosity(exchange, (level) => void levels.push(level));
  const { code, body } = await exchange.answered;
  return { code, body: body.toString(), levels };
}

describe("PUT /debug/flags/v", () => {
  const rows: readonly [request: Omit<FakeRequest, "target">, code: number, levels: readonly number[], body: RegExp][] =
    [
      [{ method: "PUT", body: "5" }, 200, [5], /^successfully set \S+ to 5$/],
      [{ method: "PUT", body: " 10\n" }, 200, [10], /to 10$/],
      [{ method: "PUT", body: "-1" }, 200, [-1], /to -1$/],
      [{ method: "PUT", body: "2147483647" }, 200, [2147483647], /to 2147483647$/],
      [{ method: "PUT", body: "2147483648" }, 400, [], /^failed to set/],
      [{ method: "PUT", body: "debug" }, 400, [], /"debug" is not a number/],
      [{ method: "PUT", body: "1.5" }, 400, [], /^failed to set/],
      [{ method: "PUT" }, 400, [], /^failed to set/],
      [{ method: "GET" }, 406, [], /^unsupported http method$/],
      [{ method: "POST", body: "5" }, 406, [], /^unsupported http method$/],
    ];
  for (const [request, code, levels, body] of rows) {
    test(`${request.method} ${JSON.stringify(request.body ?? "")} is answered with ${code}`, async () => {
      const answered = await ask(request);
      assert.deepEqual([answered.code, answered.levels], [code, levels]);
      assert.match(answered.body, body);
    });
  }

  test("a body that is too long is refused before it is read", async () => {
    const tooLong = (error: unknown): boolean => error instanceof ApiError && error.code === 413;
    await assert.rejects(ask({ method: "PUT", body: "1".repeat(1000) }), tooLong);
  });
});
