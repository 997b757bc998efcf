import assert from "node:assert/strict";
import { test } from "node:test";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { Chunk, ListRequest } from "@orch/rpc/messages.js";
import { watchCacheList } from "@orch/rpc/methods.js";
import type { Sender, Subscription } from "@orch/rpc/rpc.js";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import { createKeptLists } from "./kept-lists.js";
import { listRequest } from "./testing/list-request.js";

interface Served {
  head: string;
  rest: readonly string[];
  name: string;
  fails?: ApiError;
}

/** A watch cache that serves this, and lists of it as a gateway has them. */
function lists(served: Served) {
  const { services, caller } = createInProcess();
  const asked: (string | undefined)[] = [];
  let spared = 0;
  services.stream(watchCacheList, ({ kept }, sender: Sender<Chunk>) => {
    asked.push(kept);
    const { head, rest, name, fails } = served;
    const length = head.length + rest.join("").length;
    sender.send({ body: Buffer.from(head), length, rest: name });
    if (kept !== name) for (const body of rest) sender.send({ body: Buffer.from(body) });
    sender.end(fails);
  });
  const open = createKeptLists(
    () => caller,
    (bytes) => {
      spared += bytes;
    },
  );
  return { asked, open, spared: () => spared };
}

/** The whole text of a list, and how many parts it had. */
function read({ open }: Pick<ReturnType<typeof lists>, "open">, more: Partial<ListRequest> = {}) {
  const parts: string[] = [];
  return new Promise<readonly [text: string, parts: number]>((resolve, reject) => {
    open(
      { ...listRequest, ...more },
      {
        message: ({ body }) => void parts.push(body.toString()),
        end: (error) => (error === undefined ? resolve([parts.join(""), parts.length]) : reject(error)),
      },
      {},
    );
  });
}

test("what was kept stands behind the head that came", async () => {
  const served = { head: "1[", rest: ["a", "b]"], name: "ab" };
  const cache = lists(served);
  assert.deepEqual(await read(cache), ["1[ab]", 3]);
  served.head = "2[";
  assert.deepEqual(await read(cache), ["2[ab]", 3]);
  assert.deepEqual(cache.asked, ["", "ab"]);
  assert.equal(cache.spared(), 3);
});

test("what changed comes anew, and is kept instead", async () => {
  const served = { head: "[", rest: ["a]"], name: "a" };
  const cache = lists(served);
  await read(cache);
  Object.assign(served, { rest: ["bc]"], name: "bc" });
  assert.deepEqual(await read(cache), ["[bc]", 2]);
  assert.deepEqual(await read(cache), ["[bc]", 2]);
  assert.deepEqual(cache.asked, ["", "a", "bc"]);
});

test("each list has its own", async () => {
  const cache = lists({ head: "[", rest: ["a]"], name: "a" });
  const others: readonly Partial<ListRequest>[] = [
    { namespace: "x" },
    { labelSelector: "a=b" },
    { form: "protobuf" },
    { gzip: true },
    { limit: 5 },
    { permitted: { namespaces: ["x"] } },
  ];
  await read(cache);
  for (const other of others) await read(cache, other);
  assert.deepEqual(new Set(cache.asked), new Set([""]));
  await read(cache, { resourceVersion: "0" });
  assert.equal(cache.asked.at(-1), "a", "but for the revision that is asked for");
});

test("a list that breaks off is not kept, nor one without a name", async () => {
  const served: Served = { head: "[", rest: ["a"], name: "a", fails: unavailable("gone") };
  const cache = lists(served);
  await assert.rejects(read(cache), ApiError);
  delete served.fails;
  served.name = "";
  await read(cache);
  await read(cache);
  assert.deepEqual(cache.asked, ["", "", ""]);
});

test("a list that is cancelled half way hinders nobody", async () => {
  const cache = lists({ head: "[", rest: ["a", "b]"], name: "ab" });
  await new Promise<void>((resolve) => {
    const subscription: Subscription = cache.open(
      listRequest,
      {
        message() {
          subscription.cancel();
          resolve();
        },
        end: () => assert.fail("it was cancelled"),
      },
      {},
    );
  });
  assert.deepEqual(await read(cache), ["[ab]", 3]);
  assert.deepEqual(await read(cache), ["[ab]", 3]);
  assert.equal(cache.spared(), 3);
});

test("a receiver that is behind holds back what is kept", async () => {
  const cache = lists({ head: "[", rest: ["a", "b", "c]"], name: "abc" });
  await read(cache);
  const parts: string[] = [];
  let over = false;
  const subscription = cache.open(
    listRequest,
    {
      message({ body }) {
        parts.push(body.toString());
        subscription.pause();
      },
      end() {
        over = true;
      },
    },
    {},
  );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await settle();
  assert.deepEqual(parts, ["["]);
  for (const expected of [
    ["[", "a"],
    ["[", "a", "b"],
    ["[", "a", "b", "c]"],
  ]) {
    subscription.resume();
    await settle();
    assert.deepEqual(parts, expected);
    assert.equal(over, false);
  }
  subscription.resume();
  await settle();
  assert.equal(over, true);
});
