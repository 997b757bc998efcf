import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "@orch/runtime/clock.js";
import fc from "fast-check";
import { fakeCall } from "../testing/fake-call.js";
import { PriorityLevel } from "./priority-level.js";

interface Begun {
  readonly flow: string;
  readonly seats: number;
}

const shown = { call: fakeCall({}), schema: "", distinguisher: "", arrived: 0 };

function levelOf(limit: number): { readonly level: PriorityLevel; readonly begun: Begun[]; ask(one: Begun): void } {
  const level = new PriorityLevel(createManualClock());
  const queuing = { queues: 16, handSize: 4, queueLengthLimit: 50 };
  level.configure({ type: "Limited", limited: { limitResponse: { type: "Queue", queuing } } });
  level.limit = limit;
  const begun: Begun[] = [];
  return {
    level,
    begun,
    ask(one) {
      if (level.take(one.seats)) begun.push(one);
      else
        level.wait(
          { ...one, ...shown, stopTimer: undefined, begin: () => void begun.push(one), refuse: assert.fail },
          60_000,
        );
    },
  };
}

const seatsOf = (begun: readonly Begun[]): readonly number[] => begun.map(({ seats }) => seats);

test("wide requests leave a quarter of the seats to narrow ones, which do not wait behind them", () => {
  const { level, begun, ask } = levelOf(16);
  for (let i = 0; i < 5; i++) ask({ flow: "lists", seats: 4 });
  assert.deepEqual(seatsOf(begun), [4, 4, 4]);
  for (let i = 0; i < 4; i++) ask({ flow: "gets", seats: 1 });
  assert.deepEqual(seatsOf(begun), [4, 4, 4, 1, 1, 1, 1]);
  ask({ flow: "gets", seats: 1 });
  assert.equal(begun.length, 7);
  level.release(4);
  assert.deepEqual(seatsOf(begun.slice(7)), [4]);
  level.release(1);
  assert.deepEqual(seatsOf(begun.slice(8)), [1]);
});

test("narrow requests do not keep a wide one waiting that only needs their seats", () => {
  const { level, begun, ask } = levelOf(8);
  for (let i = 0; i < 6; i++) ask({ flow: "gets", seats: 1 });
  ask({ flow: "lists", seats: 4 });
  ask({ flow: "later", seats: 1 });
  assert.equal(begun.length, 6);
  level.release(1);
  level.release(1);
  assert.deepEqual(seatsOf(begun.slice(6)), [4]);
});

test("whatever is asked for, everybody is served in the end, within the level's seats", () => {
  const request = fc.record({ flow: fc.constantFrom("a", "b", "c"), seats: fc.integer({ min: 1, max: 10 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(request, { maxLength: 40 }), (limit, requests) => {
      const { level, begun, ask } = levelOf(limit);
      for (const one of requests) ask(one);
      for (let over = 0; over < begun.length; over++) {
        const running = begun.length - over;
        assert.ok(level.seatsInUse <= limit || running === 1, `${level.seatsInUse} of ${limit}`);
        level.release(begun[over]?.seats ?? 0);
      }
      assert.equal(begun.length, requests.length);
      assert.equal(level.seatsInUse, 0);
    }),
  );
});
