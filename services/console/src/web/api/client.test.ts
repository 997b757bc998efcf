import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createBearer } from "./bearer.js";
import { type Api, createApi } from "./client.js";
import { Failure } from "./failure.js";

/** A server that cannot be reached so often, and then answers. */
function reached(t: TestContext, failures: number): { readonly api: Api; readonly asked: () => number } {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let asked = 0;
  t.mock.method(globalThis, "fetch", async () => {
    if (++asked <= failures) throw new TypeError("Failed to fetch");
    return new Response('{"a": 1}');
  });
  const bearer = createBearer(
    { type: "token", token: "t" },
    { renew: () => Promise.reject(new Error("not asked for here")), now: () => 0 },
  );
  const api = createApi({ root: "https://server", bearer, tokenProtocol: "p.", ended: (why) => assert.fail(why) });
  return { api, asked: () => asked };
}

/** Lets pauses pass until it is settled. */
async function settled<T>(t: TestContext, promise: Promise<T>): Promise<PromiseSettledResult<T> | undefined> {
  let result: PromiseSettledResult<T> | undefined;
  void Promise.allSettled([promise]).then(([only]) => {
    result = only;
  });
  for (let i = 0; i < 20 && result === undefined; i++) {
    await new Promise(setImmediate);
    t.mock.timers.tick(1000);
  }
  return result;
}

test("what is read is asked for again where no answer comes, three times in all", async (t) => {
  const { api, asked } = reached(t, 2);
  assert.deepEqual(await settled(t, api.get("/x")), { status: "fulfilled", value: { a: 1 } });
  assert.equal(asked(), 3);
});

test("a server that stays away is told of", async (t) => {
  const { api, asked } = reached(t, 100);
  const result = await settled(t, api.get("/x"));
  assert.ok(result?.status === "rejected" && result.reason instanceof Failure);
  assert.equal(result.reason.status, 0);
  assert.equal(asked(), 3);
});

test("what changes something is sent once: it may have been done", async (t) => {
  const { api, asked } = reached(t, 1);
  assert.equal((await settled(t, api.send("POST", "/x", {})))?.status, "rejected");
  assert.equal(asked(), 1);
});

test("nobody is asked for whoever has left", async (t) => {
  const { api, asked } = reached(t, 100);
  const leaving = new AbortController();
  const asking = api.get("/x", { signal: leaving.signal });
  leaving.abort();
  assert.equal((await settled(t, asking))?.status, "rejected");
  assert.equal(asked(), 1);
});
