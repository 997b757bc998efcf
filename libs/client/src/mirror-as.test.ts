import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import { type Mirror, wholeObject } from "./mirror.js";
import { mirrorAs } from "./mirror-as.js";
import type { ApiObject } from "./objects.js";

const collection = { group: "", version: "v1", resource: "pods" };
const aWhile = 11 * 60_000;

/** A view over a mirror that counts who follows, and a server that allows what `allowed` says. */
function setup(t: TestContext) {
  const asked: ApiObject[] = [];
  const errors: string[] = [];
  const timers = new Set<{ readonly dueMs: number; readonly run: () => void }>();
  const state = { allowed: new Set(["list", "watch"]), isAway: false, followers: 0, nowMs: 0 };
  const mirror: Mirror = {
    view: () => ({
      store: new Map(),
      synced: Promise.resolve(),
      byIndex: () => [],
      async run(signal) {
        state.followers += 1;
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        state.followers -= 1;
      },
    }),
  };
  const client = {
    async create(_: unknown, review: ApiObject): Promise<ApiObject> {
      asked.push(review);
      if (state.isAway) throw new Error("away");
      const text = JSON.stringify(review["spec"]);
      const allowed = [...state.allowed].some((verb) => text.includes(`"verb":"${verb}"`));
      return { ...review, status: { allowed, reason: "no role" } };
    },
  };
  const clock = {
    monotonic: () => state.nowMs,
    after(ms: number, run: () => void) {
      const timer = { dueMs: state.nowMs + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const view = mirrorAs(mirror, { client, naming: createNaming("orch"), clock, random: () => 0.5 }).view({
    ...{ collection, fieldSelector: "spec.nodeName!=", sees: "objects", keep: wholeObject },
    onError: (error) => errors.push(messageOf(error)),
  });
  const abort = new AbortController();
  const running = view.run(abort.signal);
  t.after(async () => {
    abort.abort();
    await running;
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const pass = async (ms: number): Promise<void> => {
    state.nowMs += ms;
    for (const timer of [...timers]) {
      if (timer.dueMs > state.nowMs) continue;
      timers.delete(timer);
      timer.run();
    }
    await settle();
  };
  return { asked, errors, state, settle, pass };
}

test("a view follows what its own user may list and watch, and asks with its selectors", async (t) => {
  const { asked, errors, state, settle } = setup(t);
  await settle();
  assert.equal(state.followers, 1);
  assert.deepEqual(errors, []);
  const fieldSelector = { rawSelector: "spec.nodeName!=" };
  assert.deepEqual(
    asked.map((review) => review["spec"]),
    ["list", "watch"].map((verb) => ({ resourceAttributes: { ...collection, verb, fieldSelector } })),
  );
});

test("a view without the right sees nothing, whoever reads for it, and tries again", async (t) => {
  const { errors, state, settle, pass } = setup(t);
  state.allowed.delete("watch");
  await settle();
  assert.equal(state.followers, 0);
  assert.deepEqual(errors, ["cannot watch pods: no role"]);
  state.allowed.add("watch");
  await pass(1_000);
  assert.equal(state.followers, 1);
});

test("a right that is taken away ends the view within the life of a watch", async (t) => {
  const { errors, state, settle, pass } = setup(t);
  await settle();
  state.allowed.clear();
  await pass(aWhile);
  assert.equal(state.followers, 0);
  assert.deepEqual(errors, ["cannot list pods: no role"]);
});

test("a server that cannot be asked again does not end a view", async (t) => {
  const { state, settle, pass } = setup(t);
  await settle();
  state.isAway = true;
  await pass(aWhile);
  assert.equal(state.followers, 1);
});
