import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FairQueue, type Place, type Waiter } from "./fair-queue.js";
import { dealHand } from "./shuffle-shard.js";

interface Request extends Waiter {
  readonly flow: string;
}

const queuing = { queues: 64, handSize: 4, queueLengthLimit: 50 };
const always = (): Place => "free";

test("a hand is of different queues, and the same flow has the same", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 12 }),
      (flow, queues, size) => {
        const hand = dealHand(flow, { queues, handSize: size });
        assert.equal(new Set(hand).size, Math.min(queues, size));
        assert.ok(hand.every((queue) => queue >= 0 && queue < queues));
        assert.deepEqual(dealHand(flow, { queues, handSize: size }), hand);
      },
    ),
  );
});

test("hands are spread over all queues", () => {
  const dealt = new Set(Array.from({ length: 200 }, (_, i) => dealHand(`flow ${i}`, queuing)).flat());
  assert.equal(dealt.size, queuing.queues);
});

test("a flow fills the queues of its hand and no more; another still finds one", () => {
  const queue = new FairQueue<Request>({ ...queuing, queueLengthLimit: 5 });
  const heavy = { flow: "heavy", seats: 1 };
  let taken = 0;
  while (queue.push("heavy", { ...heavy })) taken++;
  assert.equal(taken, 20);
  assert.equal(queue.push("light", { flow: "light", seats: 1 }), true);
  assert.deepEqual([queue.size, queue.waitingSeats], [21, 21]);
});

test("what does not fit keeps its turn", () => {
  const queue = new FairQueue<Request>(queuing);
  queue.push("a", { flow: "a", seats: 8 });
  assert.equal(
    queue.shift(({ seats }) => (seats <= 4 ? "free" : "taken")),
    undefined,
  );
  assert.equal(queue.size, 1);
  assert.equal(queue.shift(always)?.waiter.seats, 8);
  assert.equal(queue.shift(always), undefined);
});

test("who is passed over is served once it can be, and before who came later", () => {
  const queue = new FairQueue<Request>(queuing);
  queue.push("wide", { flow: "wide", seats: 8 });
  queue.push("narrow", { flow: "narrow", seats: 1 });
  queue.push("third", { flow: "third", seats: 1 });
  assert.equal(queue.shift(({ seats }) => (seats > 1 ? "passed over" : "free"))?.waiter.flow, "narrow");
  assert.equal(queue.shift(always)?.waiter.flow, "wide");
  assert.equal(queue.shift(always)?.waiter.flow, "third");
});

test("who gave up is not served", () => {
  const queue = new FairQueue<Request>(queuing);
  const gone = { flow: "a", seats: 2 };
  queue.push("a", gone);
  queue.push("a", { flow: "a", seats: 1 });
  queue.remove(gone);
  assert.deepEqual([queue.size, queue.waitingSeats], [1, 1]);
  assert.equal(queue.shift(always)?.waiter.seats, 1);
  queue.remove(gone);
  assert.equal(queue.size, 0);
});

/**
 * A server of one request at a time; the heavy flow always has `backlog` waiting. Tells how many heavy ones a light one
 * waited for.
 */
function heaviesBefore(
  light: number,
  heavy: { readonly backlog: number; readonly seats: number; readonly ms: number },
) {
  const queue = new FairQueue<Request>(queuing);
  const feed = (): void => {
    let waiting = queue.size;
    while (waiting++ < heavy.backlog && queue.push("heavy", { flow: "heavy", seats: heavy.seats })) {}
  };
  const serve = (): string => {
    const next = queue.shift(always);
    assert.ok(next !== undefined);
    next.settle(next.waiter.flow === "heavy" ? heavy.ms : 1);
    return next.waiter.flow;
  };
  const before: number[] = [];
  for (let i = 0; i < light; i++) {
    for (let j = 0; j < 5; j++) {
      feed();
      serve();
    }
    feed();
    queue.push("light", { flow: "light", seats: 1 });
    let passed = 0;
    while (serve() === "heavy") {
      passed++;
      feed();
    }
    before.push(passed);
  }
  return before;
}

test("a light flow waits for no more than the queues of a heavy one's hand, however long that one's backlog", () => {
  fc.assert(
    fc.property(
      fc.record({
        backlog: fc.integer({ min: 1, max: 150 }),
        seats: fc.integer({ min: 1, max: 10 }),
        ms: fc.integer({ min: 1, max: 200 }),
      }),
      (heavy) => {
        const before = heaviesBefore(10, heavy);
        assert.ok(
          before.every((passed) => passed <= queuing.handSize),
          before.join(),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test("requests that take no time at all are charged a little: each queue of theirs has no more than the light flow's time", () => {
  for (const seats of [1, 3, 7]) {
    const before = heaviesBefore(200, { backlog: 20, seats, ms: 0 });
    // A light one takes 1 ms, each of these is charged 0.1.
    assert.ok(Math.max(...before) <= queuing.handSize * 11, before.join());
  }
});

test("two flows that both wait get seats in equal parts, whatever one request of theirs takes", () => {
  const queue = new FairQueue<Request>({ ...queuing, handSize: 1 });
  const used = { big: 0, small: 0 };
  const push = (flow: "big" | "small"): boolean => queue.push(flow, { flow, seats: flow === "big" ? 8 : 1 });
  for (let i = 0; i < 40; i++) for (const flow of ["big", "small"] as const) push(flow);
  for (let i = 0; i < 2000; i++) {
    const next = queue.shift(always);
    if (next === undefined) break;
    const { flow, seats } = next.waiter;
    const ms = flow === "big" ? 10 : 2;
    next.settle(ms);
    if (flow === "big" || flow === "small") {
      used[flow] += seats * ms;
      push(flow);
    }
  }
  assert.ok(Math.abs(used.big - used.small) <= 160, JSON.stringify(used));
});
