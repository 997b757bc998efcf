import assert from "node:assert/strict";
import { mock, type TestContext, test } from "node:test";
import { createWorkQueue, type Outcome, type WorkQueueOptions } from "./work-queue.js";

const clock = {
  monotonic: () => Date.now(),
  after(ms: number, run: () => void) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Lets everything happen that waits for nothing but its turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when the test says so. */
function setup(t: TestContext, options: Partial<WorkQueueOptions<string>> = {}) {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const abort = new AbortController();
  const begun: string[] = [];
  const errors: string[] = [];
  const open = new Map<string, (outcome: Outcome | Error) => void>();
  const queue = createWorkQueue<string>({
    workers: 2,
    clock,
    onError: (error, key) => errors.push(`${key}: ${String(error)}`),
    work(key) {
      begun.push(key);
      return new Promise((resolve, reject) => {
        open.set(key, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      });
    },
    ...options,
  });
  const running = queue.run(abort.signal);
  t.after(async () => {
    abort.abort();
    for (const finish of open.values()) finish("done");
    await running;
    mock.timers.reset();
  });
  return {
    queue,
    errors,
    /** What was begun since the last call. */
    begun: (): readonly string[] => begun.splice(0),
    async end(key: string, outcome: Outcome | Error = "done"): Promise<void> {
      open.get(key)?.(outcome);
      open.delete(key);
      await turn();
    },
    async pass(ms: number): Promise<void> {
      mock.timers.tick(ms);
      await turn();
    },
    abort,
    running,
  };
}

test("as many keys are worked on as there are workers, in their order, each once", async (t) => {
  const { queue, begun, end } = setup(t);
  for (const key of ["a", "b", "c", "c", "d"]) queue.add(key);
  assert.deepEqual(begun(), ["a", "b"]);
  await end("b");
  assert.deepEqual(begun(), ["c"]);
  await end("a");
  await end("c");
  assert.deepEqual(begun(), ["d"]);
});

test("a key that is added while it is worked on is worked on once more, by one worker at a time", async (t) => {
  const { queue, begun, end } = setup(t);
  queue.add("a");
  queue.add("a");
  queue.add("a");
  assert.deepEqual(begun(), ["a"]);
  await end("a");
  assert.deepEqual(begun(), ["a"]);
  await end("a");
  assert.deepEqual(begun(), []);
});

test("the delay of a key doubles with each failure up to the longest, and is forgotten when its work is done", async (t) => {
  const { queue, begun, end, pass, errors } = setup(t, { firstDelayMs: 10, longestDelayMs: 35 });
  queue.add("a");
  begun();
  await end("a", new Error("no"));
  assert.deepEqual(errors, ["a: Error: no"]);
  for (const delay of [10, 20, 35, 35]) {
    await pass(delay - 1);
    assert.deepEqual(begun(), [], `before ${delay}`);
    await pass(1);
    assert.deepEqual(begun(), ["a"], `after ${delay}`);
    await end("a", "retry");
  }
  await pass(35);
  await end("a", "done");
  begun();
  queue.addLater("a");
  await pass(10);
  assert.deepEqual(begun(), ["a"]);
});

test("of several times that a key is to be added after the earliest counts", async (t) => {
  const { queue, begun, end, pass } = setup(t);
  queue.addAfter("a", 50);
  queue.addAfter("a", 20);
  queue.addAfter("a", 40);
  await pass(20);
  assert.deepEqual(begun(), ["a"]);
  await end("a", { againAfterMs: 5 });
  await pass(5);
  assert.deepEqual(begun(), ["a"]);
  await end("a");
  await pass(100);
  assert.deepEqual(begun(), []);
});

test("when the signal aborts nothing more is begun, and the end waits for what is", async (t) => {
  const { queue, begun, end, abort, running, pass } = setup(t);
  queue.add("a");
  queue.addAfter("b", 10);
  abort.abort();
  queue.add("c");
  let ended = false;
  void running.then(() => {
    ended = true;
  });
  await pass(10);
  assert.equal(ended, false);
  assert.deepEqual(begun(), ["a"]);
  await end("a", "retry");
  assert.equal(ended, true);
  await pass(100_000);
  assert.deepEqual(begun(), []);
});

test("an observer hears of depth, waiting and working", async (t) => {
  const heard: string[] = [];
  const { queue, end, pass } = setup(t, {
    workers: 1,
    observer: {
      added: () => heard.push("added"),
      retried: () => heard.push("retried"),
      depth: (keys) => heard.push(`depth ${keys}`),
      waited: (seconds) => heard.push(`waited ${seconds}`),
      began: () => () => void heard.push("worked"),
    },
  });
  queue.add("a");
  queue.add("b");
  await pass(2000);
  await end("a", "retry");
  assert.deepEqual(heard, [
    ...["added", "depth 1", "depth 0", "waited 0"],
    ...["added", "depth 1", "worked", "retried", "depth 0", "waited 2"],
  ]);
});
