import assert from "node:assert/strict";
import { test } from "node:test";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { Chunk } from "@orch/rpc/messages.js";
import { watchCacheList } from "@orch/rpc/methods.js";
import { createPacer } from "@orch/rpc/pacer.js";
import type { Sender, Subscription } from "@orch/rpc/rpc.js";
import { listRequest } from "../testing/list-request.js";
import { openObserved } from "./observed-stream.js";

const kib = 1024;
/** Lists of so many chunks of 128 KiB, whose receivers note when they get one. */
function lists(chunks: number) {
  const { services, caller } = createInProcess();
  services.stream(watchCacheList, (_request, sender: Sender<Chunk>) => {
    for (let i = 0; i < chunks; i++) sender.send({ body: Buffer.alloc(128 * kib) });
    sender.end();
  });
  const turns: (() => void)[] = [];
  const pacer = createPacer((run) => void turns.push(run));
  const got: string[] = [];
  const told: string[] = [];
  const open = (name: string): Subscription =>
    openObserved<Chunk>((receiver) => caller.open(watchCacheList, listRequest, receiver), {
      receiver: { message: () => void got.push(name), end: () => void got.push(`${name} ends`) },
      observer: {
        message: (bytes) => void told.push(`${name} ${bytes / kib}`),
        end: (whole) => void told.push(`${name} ${whole}`),
      },
      pacer,
    });
  /** Lets everything happen that needs no further turn. */
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const turn = async (): Promise<void> => {
    const [run] = turns.splice(0, 1);
    run?.();
    await settle();
  };
  return { open, got, told, settle, turn, turns };
}

test("a small list is passed on at once, its bytes and its end are told", async () => {
  const { open, got, told, settle } = lists(2);
  open("a");
  await settle();
  assert.deepEqual(got, ["a", "a", "a ends"]);
  assert.deepEqual(told, ["a 128", "a 128", "a true"]);
});

test("large lists take turns: one chunk each, however much is there", async () => {
  const { open, got, settle, turn } = lists(4);
  for (const name of ["a", "b"]) open(name);
  await settle();
  const first = got.length;
  assert.ok(first <= 3, got.join());
  for (let i = 0; i < 12; i++) await turn();
  assert.deepEqual([...got].sort(), ["a", "a", "a", "a", "a ends", "b", "b", "b", "b", "b ends"]);
  // Neither has all its chunks before the other has had most of its own.
  const before = got.slice(
    0,
    got.findIndex((g) => g.endsWith("ends")),
  );
  assert.ok(Math.min(...["a", "b"].map((name) => before.filter((g) => g === name).length)) >= 2, got.join());
});

test("who is behind gets nothing until it asks, and does not hold the others back", async () => {
  const { open, got, settle, turn } = lists(4);
  const slow = open("slow");
  slow.pause();
  open("quick");
  await settle();
  for (let i = 0; i < 8; i++) await turn();
  assert.deepEqual(got, ["quick", "quick", "quick", "quick", "quick ends"]);
  slow.resume();
  for (let i = 0; i < 8; i++) await turn();
  assert.deepEqual(got.slice(5), ["slow", "slow", "slow", "slow", "slow ends"]);
});

test("a stream that is given up takes no more turns", async () => {
  const { open, got, settle, turn } = lists(8);
  const subscription = open("gone");
  await settle();
  subscription.cancel();
  const before = got.length;
  for (let i = 0; i < 4; i++) await turn();
  assert.equal(got.length, before);
});
