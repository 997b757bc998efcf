import assert from "node:assert/strict";
import { test } from "node:test";
import { revision } from "@orch/store/revision.js";
import { createShelves } from "./shelves.js";
import { createShowing } from "./showing.js";

const history = { keepMs: 1000, maxBytes: 1000, now: () => 0 };
const load = (at: number, recalled = Promise.resolve()) => ({
  shelves: createShelves(new Map(), at, history),
  at: revision(at),
  recalled,
});

/** What a showing does, and what it told at each reset. */
function bed() {
  const showing = createShowing(createShelves(new Map(), 0, history));
  const resets: string[] = [];
  showing.onReset(() => void resets.push(`${showing.loaded ? "shown" : "hidden"}@${showing.gate.revision}`));
  return { showing, resets };
}

test("nothing shows before a load; who waits for one is told of it", async () => {
  const { showing, resets } = bed();
  assert.equal(showing.loaded, false);
  const { loaded } = showing.era;
  const first = load(5);
  showing.show(first);
  await loaded;
  assert.equal(showing.loaded, true);
  assert.equal(showing.shelves, first.shelves);
  assert.equal(showing.gate.revision, 5);
  assert.deepEqual(resets, []);
});

test("a load after a gap takes the place of what was shown in the same era, and ends it before it shows", () => {
  const { showing, resets } = bed();
  showing.show(load(5));
  const { era } = showing;
  showing.show(load(9));
  assert.deepEqual(resets, ["shown@5"]);
  assert.equal(showing.gate.revision, 9);
  assert.equal(showing.era, era);
});

test("what was hidden ends once, is shown no more, and whoever comes then waits for the next load", async () => {
  const { showing, resets } = bed();
  const first = load(5);
  showing.show(first);
  const { era } = showing;
  showing.hide();
  showing.hide();
  assert.deepEqual(resets, ["hidden@5"]);
  assert.equal(showing.loaded, false);
  assert.equal(showing.gate.revision, 0);
  assert.equal(showing.shelves, first.shelves, "a read that is under way ends on it");
  assert.notEqual(showing.era, era);
  const { loaded } = showing.era;
  // The store is older now.
  showing.show(load(3));
  await loaded;
  assert.equal(showing.gate.revision, 3);
  assert.deepEqual(resets, ["hidden@5"]);
});

test("the history from before is waited for as long as its load shows", async () => {
  const { showing } = bed();
  await showing.recalled();
  const never = new Promise<void>(() => {});
  showing.show(load(5, never));
  assert.equal(showing.recalled(), never);
  showing.hide();
  await showing.recalled();
});
