import assert from "node:assert/strict";
import { test } from "node:test";
import type { LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";
import { createManualClock, type ManualClock } from "@orch/runtime/clock.js";
import { outside } from "@orch/status/crowd.js";
import { fakeCall } from "../testing/fake-call.js";
import { PriorityLevel, type Running, type Waiting } from "./priority-level.js";
import { createFlowTables } from "./tables.js";

const start = Date.parse("2026-01-02T03:04:05.000Z");

function levelOf(clock: ManualClock, spec: LevelSpec): PriorityLevel {
  const level = new PriorityLevel(clock);
  level.configure(spec);
  level.limit = 1;
  return level;
}

/** One request without a queue runs at `exempt`; at `tiny`, of two queues, one runs that waited, and one waits. */
function subject() {
  const clock = createManualClock(start);
  const queuing = { queues: 2, handSize: 1, queueLengthLimit: 1 };
  const exempt = levelOf(clock, { type: "Exempt" });
  const tiny = levelOf(clock, { type: "Limited", limited: { limitResponse: { type: "Queue", queuing } } });
  const shown = (user: string, target: string, verb: string) => {
    const call = fakeCall({ user, target, verb });
    return { call, schema: `of-${user}`, distinguisher: user, seats: 1, arrived: clock.monotonic() };
  };
  const refused: string[] = [];
  let last: Running | undefined;
  const wait = (user: string): Waiting => {
    const request = shown(user, "/apis/apps/v1/namespaces/n/deployments/d/scale", "update");
    const waiter: Waiting = {
      ...request,
      // Both in one queue: the flow deals the hand.
      flow: "flow",
      stopTimer: undefined,
      begin({ queue }) {
        last = { ...request, place: outside, queue, began: clock.monotonic() };
        tiny.running.add(last);
      },
      refuse: (why) => void refused.push(`${user} ${why}`),
    };
    tiny.wait(waiter, 60_000);
    return waiter;
  };
  assert.ok(exempt.take(1));
  exempt.running.add({ ...shown("admin", "/metrics", "get"), place: outside, queue: -1, began: clock.monotonic() });
  assert.ok(tiny.take(1));
  const first: Running = {
    ...shown("ann", "/api/v1/pods", "list"),
    place: outside,
    queue: -1,
    began: clock.monotonic(),
  };
  tiny.running.add(first);
  clock.advance(1000);
  wait("bob");
  wait("too-many");
  clock.advance(250);
  tiny.running.delete(first);
  tiny.release(1);
  const gone = wait("gone");
  assert.ok(tiny.cancel(gone));
  wait("carol");
  const tables = createFlowTables(
    () =>
      new Map([
        ["tiny", { level: tiny }],
        ["exempt", { level: exempt }],
      ]),
    clock,
  );
  const queue = last?.queue ?? Number.NaN;
  return {
    clock,
    refused,
    queue,
    print: (name: string, details = false) => (tables.get(name)?.({ details }) ?? "").split("\n"),
  };
}

test("a row for each level, by their names", () => {
  const { clock, refused, print } = subject();
  assert.deepEqual(print("dump_priority_levels"), [
    "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests",
    "exempt,            0,            false,  false,       0,               1,                 1,                  0,                0,                0",
    "tiny,              1,            false,  false,       1,               1,                 2,                  1,                0,                1",
    "",
  ]);
  clock.advance(60_000);
  assert.deepEqual(refused, ["too-many queue-full", "carol time-out"]);
  assert.match(print("dump_priority_levels")[2] ?? "", /^tiny, +0, +false, +false, +0, +1, +2, +1, +1, +1$/);
});

test("a row for each queue", () => {
  const { queue, print } = subject();
  const [header, ...rows] = print("dump_queues");
  assert.equal(
    header,
    "PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum",
  );
  const cells = rows.map((row) => row.split(/, +/));
  const busy = ["tiny", String(queue), "1", "1", "1", "0.00300000ss", "1", "1", "0.00300000ss"];
  const idle = ["tiny", String(1 - queue), "0", "0", "0", "0.00000000ss", "0", "0", "0.00000000ss"];
  assert.deepEqual(cells, [...(queue === 0 ? [busy, idle] : [idle, busy]), [""]]);
});

test("a row for each request, those that wait first", () => {
  const { queue, print } = subject();
  const [header, ...rows] = print("dump_requests");
  assert.equal(
    header,
    "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime,               InitialSeats, FinalSeats, AdditionalLatency, StartTime",
  );
  assert.deepEqual(
    rows.map((row) => row.replaceAll(/, +/g, " ")),
    [
      "exempt of-admin -1 -1 admin 2026-01-02T03:04:05.000Z 1 0 0s 2026-01-02T03:04:05.000Z",
      `tiny of-carol ${queue} 0 carol 2026-01-02T03:04:06.250Z 1 0 0s 0001-01-01T00:00:00Z`,
      `tiny of-bob ${queue} -1 bob 2026-01-02T03:04:06.000Z 1 0 0s 2026-01-02T03:04:06.250Z`,
      "",
    ],
  );
});

test("requests are shown with who sent them and what for, where that is asked for", () => {
  const { print } = subject();
  const [header, ...rows] = print("dump_requests", true).map((row) => row.split(/, +/).slice(10).join(" "));
  assert.equal(header, "UserName Verb APIPath Namespace Name APIVersion Resource SubResource");
  const path = "/apis/apps/v1/namespaces/n/deployments/d/scale";
  assert.deepEqual(rows, [
    "admin get /metrics     ",
    `carol update ${path} n d apps/v1 deployments scale`,
    `bob update ${path} n d apps/v1 deployments scale`,
    "",
  ]);
});
