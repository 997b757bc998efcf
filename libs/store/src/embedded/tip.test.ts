import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { createTip } from "./tip.js";

/** Whether a wait is over once everything that is due has run. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  let over = false;
  void wait.then(() => {
    over = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return over;
}

test("a wait ends at its revision, and no sooner", async () => {
  const tip = createTip(5);
  const follower = tip.follow(new AbortController().signal);
  assert.equal(await isOver(follower.reached(5)), true);
  const wait = follower.reached(8);
  tip.move(7);
  assert.equal(await isOver(wait), false);
  tip.move(8);
  assert.equal(await isOver(wait), true);
  assert.equal(follower.over, false);
});

test("a wait ends with its signal, and those of others go on", async () => {
  const tip = createTip(5);
  const leaving = new AbortController();
  const follower = tip.follow(leaving.signal);
  const other = tip.follow(new AbortController().signal);
  const [wait, otherWait] = [follower.reached(6), other.reached(6)];
  leaving.abort();
  assert.equal(await isOver(wait), true);
  assert.equal(follower.over, true);
  assert.equal(await isOver(otherWait), false);
  assert.equal(await isOver(follower.reached(9)), true, "nothing is waited for any more");
});

test("a tip that closes ends all waits, also of whoever comes later", async () => {
  const tip = createTip(5);
  const follower = tip.follow(new AbortController().signal);
  const wait = follower.reached(6);
  tip.close();
  assert.equal(await isOver(wait), true);
  assert.equal(follower.over, true);
  assert.equal(tip.follow(new AbortController().signal).over, true);
});

test("who begins with a signal that has aborted is over, and who leaves listens to nothing", () => {
  const tip = createTip(5);
  assert.equal(tip.follow(AbortSignal.abort()).over, true);
  const { signal } = new AbortController();
  const follower = tip.follow(signal);
  assert.equal(getEventListeners(signal, "abort").length, 1);
  follower.leave();
  assert.equal(getEventListeners(signal, "abort").length, 0);
});
