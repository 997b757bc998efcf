import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { type Obtained, renewedCredentials } from "./credentials.js";

function setup(initial?: Obtained) {
  let time = 1000;
  let answers: (Obtained | Error)[] = [];
  let asked = 0;
  const source = renewedCredentials({
    async obtain() {
      asked++;
      const answer = answers.shift() ?? new Error("nothing left");
      if (answer instanceof Error) throw answer;
      return answer;
    },
    now: () => time,
    ...(initial === undefined ? {} : { initial }),
  });
  return {
    source,
    asked: () => asked,
    at: (ms: number) => {
      time = ms;
    },
    answers: (...next: (Obtained | Error)[]) => {
      answers = next;
    },
    shown: async () => (await source.current()).authorization,
  };
}

const token = (authorization: string, renewAt?: number, expiresAt?: number): Obtained => ({
  credentials: { authorization },
  ...(renewAt === undefined ? {} : { renewAt }),
  ...(expiresAt === undefined ? {} : { expiresAt }),
});

test("credentials without an end are got once, by however many", async () => {
  const { source, answers, asked } = setup();
  answers(token("a"));
  const all = await Promise.all(Array.from({ length: 50 }, () => source.current()));
  assert.equal(new Set(all).size, 1);
  assert.equal(await source.current(), all[0]);
  assert.equal(asked(), 1);
});

test("they are got anew at their time, and are the same object while they are equal", async () => {
  const { source, answers, asked, at, shown } = setup();
  answers(token("a", 2000, 3000), token("a", 4000, 5000), token("b"));
  const first = await source.current();
  at(1999);
  assert.equal(await source.current(), first);
  at(2000);
  assert.equal(await source.current(), first);
  assert.equal(asked(), 2);
  at(4000);
  assert.equal(await shown(), "b");
});

test("those at hand serve on until they expire, with a pause between attempts", async () => {
  const { answers, asked, at, shown } = setup();
  answers(token("a", 2000, 30_000), new Error("away"), new Error("away"), new Error("away"), token("b"));
  assert.equal(await shown(), "a");
  at(2000);
  assert.equal(await shown(), "a");
  at(11_999);
  assert.equal(await shown(), "a");
  assert.equal(asked(), 2);
  at(12_000);
  assert.equal(await shown(), "a");
  assert.equal(asked(), 3);
  at(30_000);
  await assert.rejects(shown(), { reason: "Unauthorized", message: "no credentials: away" });
  assert.equal(await shown(), "b");
});

test("refused ones are got anew, but not when others came meanwhile", async () => {
  const { source, answers, asked, shown } = setup(token("first"));
  const first = await source.current();
  source.refused(first);
  answers(token("b"));
  assert.equal(await shown(), "b");
  source.refused(first);
  assert.equal(await shown(), "b");
  assert.equal(asked(), 1);
  source.refused(await source.current());
  answers(new Error("away"), token("b"));
  await assert.rejects(shown(), { reason: "Unauthorized" });
  assert.equal(await shown(), "b");
});

test("a failure never looks like an answer to the request that wanted them", async () => {
  const rows: readonly (readonly [ApiError, string])[] = [
    [new ApiError("NotFound", "gone"), "Unauthorized"],
    [new ApiError("Expired", "old"), "Unauthorized"],
    [new ApiError("ServiceUnavailable", "away"), "ServiceUnavailable"],
    [new ApiError("Timeout", "slow"), "ServiceUnavailable"],
  ];
  for (const [error, reason] of rows) {
    const { answers, shown } = setup();
    answers(error);
    await assert.rejects(shown(), { name: "ApiError", reason });
  }
});

test("what throws at once is tried again the next time", async () => {
  let tries = 0;
  const source = renewedCredentials({
    obtain() {
      if (++tries === 1) throw new Error("at once");
      return Promise.resolve(token("a"));
    },
    now: () => 0,
  });
  await assert.rejects(Promise.resolve(source.current()), /at once/);
  assert.equal((await source.current()).authorization, "a");
});
