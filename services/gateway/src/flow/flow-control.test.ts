import assert from "node:assert/strict";
import { test } from "node:test";
import type { LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock, type ManualClock } from "@orch/runtime/clock.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { ApiError } from "@orch/status/api-error.js";
import fc from "fast-check";
import { type FakeCall, fakeCall } from "../testing/fake-call.js";
import type { FakeExchange } from "../testing/fake-exchange.js";
import { builtInConfig, type FlowConfig } from "./config.js";
import { createFlowControl, type FlowControl } from "./flow-control.js";
import { createFlowMetrics } from "./metrics.js";
import { createRequestCounts } from "./request-counts.js";
import type { Seats } from "./seats.js";

const naming = createNaming("kubernetes");
const waitMs = 15_000;

interface Subject {
  readonly control: FlowControl;
  readonly clock: ManualClock;
  /** A series of flow control, without its prefix; 0 where it is not there. */
  metric(name: string, labels: string): Promise<number>;
  /** Requests that ran and that waited in the last second: readOnly, then mutating. */
  current(): Promise<readonly (readonly [number, number])[]>;
}

function subject(totalSeats: number): Subject {
  const clock = createManualClock();
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const counts = createRequestCounts(metrics, clock);
  const control = createFlowControl({ naming, clock, counts, metrics: createFlowMetrics(metrics), totalSeats, waitMs });
  const value = async (start: string): Promise<number> => {
    const line = (await metrics.text()).split("\n").find((l) => l.startsWith(`apiserver_${start} `));
    return line === undefined ? 0 : Number(line.split(" ").at(-1));
  };
  return {
    control,
    clock,
    metric: (name, labels) => value(`flowcontrol_${name}{${labels}}`),
    current: () =>
      Promise.all(
        ["readOnly", "mutating"].map(
          async (kind) =>
            [
              await value(`current_inflight_requests{request_kind="${kind}"}`),
              await value(`current_inqueue_requests{request_kind="${kind}"}`),
            ] as const,
        ),
      ),
  };
}

interface Request extends Omit<FakeCall, "groups"> {
  readonly group?: string;
}

function callOf({ group = "people", ...rest }: Request): ReturnType<typeof fakeCall> {
  return fakeCall({ ...rest, groups: [group, naming.authenticatedGroup] });
}

const labels = 'priority_level="tiny",flow_schema="tiny"';

/** Everybody but the masters at one level that has about all seats. */
function tiny(level: LevelSpec): FlowConfig {
  const { schemas, levels } = builtInConfig(naming);
  const everything = schemas.find(({ name }) => name === "global-default")?.spec ?? {};
  const spec = { ...everything, matchingPrecedence: 3, priorityLevelConfiguration: { name: "tiny" } };
  return {
    schemas: [
      ...schemas.filter(({ spec: s }) => (s.matchingPrecedence ?? 0) < 3),
      { name: "tiny", uid: "schema-uid", spec },
    ],
    levels: [...levels.filter(({ name }) => name === "exempt"), { name: "tiny", uid: "level-uid", spec: level }],
  };
}

const queuing = { queues: 8, handSize: 2, queueLengthLimit: 3 };
const queued: LevelSpec = {
  type: "Limited",
  limited: { nominalConcurrencyShares: 995, limitResponse: { type: "Queue", queuing } },
};
const rejecting: LevelSpec = {
  type: "Limited",
  limited: { nominalConcurrencyShares: 995, limitResponse: { type: "Reject" } },
};

/** At a level of two seats. */
function twoSeats(level: LevelSpec = queued): Subject {
  const made = subject(2);
  made.control.configure(tiny(level));
  return made;
}

/** A call that asked for its seats, and those that it was given so far. */
interface Entrant {
  readonly exchange: FakeExchange;
  /** Of one that had to wait. */
  entered: Promise<void> | undefined;
  seats: Seats | undefined;
}

function enter(control: FlowControl, request: Request = {}): Entrant {
  const call = callOf(request);
  const given = control.enter(call);
  const { exchange } = call;
  if (!(given instanceof Promise)) return { exchange, entered: undefined, seats: given };
  const entrant: Entrant = { exchange, entered: undefined, seats: undefined };
  entrant.entered = given.then((seats) => {
    entrant.seats = seats;
  });
  entrant.entered.catch(() => {});
  return entrant;
}

function enterAtOnce(control: FlowControl, request: Request = {}): Entrant & { readonly seats: Seats } {
  const { exchange, entered, seats } = enter(control, request);
  assert.ok(seats !== undefined, "it waits");
  return { exchange, entered, seats };
}

test("a call whose seats are free goes on at once, and the answer tells which objects decided", async () => {
  const { control, metric } = twoSeats();
  const call = enterAtOnce(control);
  call.exchange.response.send(200, [], "");
  const { header } = await call.exchange.answered;
  assert.deepEqual(header("X-Kubernetes-PF-FlowSchema-UID"), ["schema-uid"]);
  assert.deepEqual(header("X-Kubernetes-PF-PriorityLevel-UID"), ["level-uid"]);
  assert.equal(await metric("current_executing_requests", labels), 1);
  call.seats?.release();
  call.seats?.release();
  assert.deepEqual(
    [await metric("current_executing_requests", labels), await metric("dispatched_requests_total", labels)],
    [0, 1],
  );
});

test("who finds no seat waits for one that is given back", async () => {
  const { control, metric } = twoSeats();
  const first = enterAtOnce(control);
  enterAtOnce(control);
  const third = enter(control);
  assert.deepEqual([third.seats, await metric("current_inqueue_requests", labels)], [undefined, 1]);
  first.seats?.release();
  await third.entered;
  assert.notEqual(third.seats, undefined);
  assert.equal(await metric("current_inqueue_requests", labels), 0);
});

test("a level that queues nothing refuses at once", async () => {
  const { control, metric } = twoSeats(rejecting);
  enterAtOnce(control);
  enterAtOnce(control);
  await assert.rejects(async () => control.enter(callOf({})), {
    reason: "TooManyRequests",
    code: 429,
    details: { retryAfterSeconds: 1 },
  });
  assert.equal(await metric("rejected_requests_total", `${labels},reason="concurrency-limit"`), 1);
});

test("a full queue refuses, another flow still waits", async () => {
  const { control, metric } = twoSeats();
  enterAtOnce(control);
  enterAtOnce(control);
  const waiting = Array.from({ length: queuing.handSize * queuing.queueLengthLimit }, () => control.enter(callOf({})));
  await assert.rejects(async () => control.enter(callOf({})), { reason: "TooManyRequests" });
  assert.equal(await metric("rejected_requests_total", `${labels},reason="queue-full"`), 1);
  assert.ok(control.enter(callOf({ user: "bob" })) instanceof Promise);
  assert.equal(await metric("current_inqueue_requests", labels), waiting.length + 1);
});

test("nobody waits for ever", async () => {
  const { control, clock, metric } = twoSeats();
  enterAtOnce(control);
  const second = enterAtOnce(control);
  const waiting = Promise.resolve(control.enter(callOf({})));
  const refused = assert.rejects(waiting, { reason: "TooManyRequests" });
  clock.advance(waitMs);
  await refused;
  assert.equal(await metric("rejected_requests_total", `${labels},reason="time-out"`), 1);
  // Its place is free.
  second.seats?.release();
  enterAtOnce(control);
});

test("a client that goes away leaves the queue and takes no seat", async () => {
  const { control, metric } = twoSeats();
  const first = enterAtOnce(control);
  enterAtOnce(control);
  const gone = enter(control);
  const refused = assert.rejects(async () => gone.entered, { reason: "TooManyRequests" });
  gone.exchange.leave();
  await refused;
  assert.equal(await metric("rejected_requests_total", `${labels},reason="cancelled"`), 1);
  first.seats?.release();
  assert.deepEqual([gone.seats, await metric("current_executing_requests", labels)], [undefined, 1]);
});

test("the masters never wait", () => {
  const { control } = twoSeats();
  for (let i = 0; i < 100; i++) enterAtOnce(control, { group: naming.mastersGroup });
});

test("a watch holds its seat until it has begun: at once, or when its initial events are out", async () => {
  const { control, clock, metric } = twoSeats();
  const resumed = enterAtOnce(control, { verb: "watch", target: "/api/v1/pods?watch=1&resourceVersion=7" });
  assert.equal(await metric("current_executing_requests", labels), 1);
  resumed.seats?.stream?.message(0);
  assert.equal(await metric("current_executing_requests", labels), 0);
  const initial = enterAtOnce(control, { verb: "watch", target: "/api/v1/pods?watch=1" });
  initial.seats?.stream?.message(0);
  for (let i = 0; i < 5; i++) {
    clock.advance(6);
    initial.seats?.stream?.message(1000);
  }
  assert.equal(await metric("current_executing_requests", labels), 1);
  clock.advance(30);
  assert.equal(await metric("current_executing_requests", labels), 0);
});

test("a list is worth what the last one of its sort came to, a selection of an unknown size the whole", async () => {
  const { control, metric } = subject(1000);
  control.configure(tiny(queued));
  const seatsOf = async (target: string, bytes?: number): Promise<number> => {
    const call = enterAtOnce(control, { verb: "list", target });
    const seats = await metric("current_executing_seats", labels);
    if (bytes !== undefined) {
      call.seats?.stream?.message(0);
      call.seats?.stream?.message(bytes);
      call.seats?.stream?.end(true);
    }
    call.seats?.release();
    return seats;
  };
  const pods = "/api/v1/pods";
  assert.equal(await seatsOf(pods, 450_000), 1);
  assert.equal(await seatsOf(pods), 5);
  assert.equal(await seatsOf(`${pods}?labelSelector=a%3Db`, 900), 5);
  assert.equal(await seatsOf(`${pods}?labelSelector=a%3Db`), 1);
  assert.equal(await seatsOf(`${pods}?limit=200`, 200_000), 2);
  assert.equal(await seatsOf("/api/v1/nodes", 90_000_000), 1);
  assert.equal(await seatsOf("/api/v1/nodes"), 10);
  assert.equal(await seatsOf("/api/v1/namespaces/a/pods"), 1);
});

/** Each that is released lets others in. */
async function releaseAll(calls: readonly Entrant[]): Promise<void> {
  for (let round = 0; round <= calls.length; round++) {
    for (const call of calls) call.seats?.release();
    await Promise.resolve();
  }
}

test("another configuration takes over what runs and what waits", async () => {
  const { control, metric } = twoSeats();
  const running = [enterAtOnce(control), enterAtOnce(control)];
  const waiting = [control.enter(callOf({})), control.enter(callOf({ user: "bob" }))];
  const more = { ...queued.limited, limitResponse: { type: "Queue", queuing: { ...queuing, queues: 1, handSize: 1 } } };
  control.configure(tiny({ type: "Limited", limited: more }));
  assert.equal(await metric("current_inqueue_requests", labels), 2);
  for (const call of running) call.seats?.release();
  await Promise.all(waiting);
  assert.equal(await metric("current_executing_requests", labels), 2);
});

test("objects that a configuration lacks are still there where requests need them", () => {
  const { control } = subject(10);
  control.configure({ schemas: [], levels: [] });
  enterAtOnce(control);
  enterAtOnce(control, { group: naming.mastersGroup });
});

test("a busy level borrows the seats of idle ones and gives them back", async () => {
  const { control, clock, metric } = subject(245);
  control.start();
  const level = 'priority_level="global-default"';
  assert.equal(await metric("current_limit_seats", level), 20);
  const calls = Array.from({ length: 400 }, () => enter(control));
  clock.advance(10_000);
  const borrowed = await metric("current_limit_seats", level);
  assert.ok(borrowed > 100, String(borrowed));
  await releaseAll(calls);
  clock.advance(60 * 60 * 1000);
  assert.ok((await metric("current_limit_seats", level)) <= borrowed);
  assert.equal(await metric("current_executing_seats", `${level},flow_schema="global-default"`), 0);
  control.stop();
});

test("whatever happens to calls, no seat is lost and no more are held than there are", async () => {
  const step = fc.record({
    what: fc.constantFrom("enter", "release", "close", "pass", "configure"),
    which: fc.nat(30),
    user: fc.constantFrom("ann", "bob", "eve"),
    verb: fc.constantFrom("get", "list", "watch", "create"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const { control, clock, metric } = twoSeats();
      const calls: Entrant[] = [];
      for (const { what, which, user, verb } of steps) {
        const call = calls[which % Math.max(1, calls.length)];
        if (what === "enter") {
          const request = { user, verb, target: "/api/v1/namespaces/a/pods" };
          try {
            calls.push(enter(control, request));
          } catch (error) {
            assert.equal(ApiError.from(error).reason, "TooManyRequests");
          }
        } else if (what === "release") call?.seats?.release();
        else if (what === "close") {
          call?.exchange.leave();
        } else if (what === "pass") clock.advance(which * 1000);
        else control.configure(tiny(which % 2 === 0 ? queued : rejecting));
        assert.ok((await metric("current_executing_seats", labels)) <= 2);
      }
      // Everything ends.
      await releaseAll(calls);
      assert.equal(await metric("current_executing_seats", labels), 0);
      assert.equal(await metric("current_inqueue_requests", labels), 0);
      control.configure(tiny(queued));
      enterAtOnce(control);
      enterAtOnce(control);
    }),
    { numRuns: 40 },
  );
});

test("what runs and what waits is told of the last second, reads apart from writes", async () => {
  const { control, clock, current } = twoSeats();
  const running = [enterAtOnce(control), enterAtOnce(control, { verb: "create" })];
  const waiting = [enter(control, { verb: "update" }), enter(control, { verb: "list" })];
  enterAtOnce(control, { group: naming.mastersGroup, verb: "watch" });
  clock.advance(1000);
  assert.deepEqual(await current(), [
    [2, 1],
    [1, 1],
  ]);
  for (const call of running) call.seats?.release();
  for (const { entered } of waiting) await entered;
  for (const call of waiting) call.seats?.release();
  clock.advance(2000);
  assert.deepEqual(await current(), [
    [1, 0],
    [0, 0],
  ]);
});
