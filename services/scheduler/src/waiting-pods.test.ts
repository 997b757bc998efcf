import assert from "node:assert/strict";
import { test } from "node:test";
import { podInfoOf } from "@orch/scheduling/model/pod-info.js";
import { createPermitBoard } from "./waiting-pods.js";

const pod = podInfoOf({ metadata: { name: "p", namespace: "default", uid: "u" } });

/** A pod that waits for two plugins, and a clock that stands until it is told. */
function setup() {
  const board = createPermitBoard();
  const due: (() => void)[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after(_: number, run: () => void) {
      due.push(run);
      return () => {};
    },
  };
  const abort = new AbortController();
  const waitsFor = new Map(["A", "B"].map((name) => [name, { code: "Wait", ms: 10 }] as const));
  const answer = board.wait(pod, "n1", { waitsFor, ms: 10, clock, signal: abort.signal });
  return { board, answer, abort, timeOut: () => due.map((run) => run()) };
}

test("a pod goes on when all that it waits for allow it", async () => {
  const { board, answer } = setup();
  const waiting = board.get("u");
  assert.deepEqual([waiting?.node, board.all().length], ["n1", 1]);
  waiting?.allow("A");
  waiting?.allow("A");
  waiting?.allow("stranger");
  assert.deepEqual([...(waiting?.waitsFor ?? [])], ["B"]);
  waiting?.allow("B");
  assert.equal(await answer, undefined);
  assert.deepEqual(board.all(), []);
});

test("one that rejects it has the last word, before it went on", async () => {
  const { board, answer } = setup();
  const waiting = board.get("u");
  waiting?.allow("A");
  waiting?.reject("B", "the others of its gang do not fit");
  waiting?.allow("B");
  const rejection = await answer;
  assert.deepEqual([rejection?.plugin, rejection?.reasons], ["B", ["the others of its gang do not fit"]]);
});

test("a pod that nobody allows in time is refused by the first that it waits for", async () => {
  const { answer, timeOut } = setup();
  timeOut();
  const rejection = await answer;
  assert.deepEqual([rejection?.plugin, rejection?.reasons], ["A", ["timed out waiting for a permit"]]);
});

test("a scheduler that stops lets no pod go on", async () => {
  const { answer, abort, board } = setup();
  abort.abort();
  assert.notEqual(await answer, undefined);
  assert.deepEqual(board.all(), []);
});
