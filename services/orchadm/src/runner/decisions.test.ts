import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { keepRunning } from "./keep-running.js";
import { watchLiveness } from "./liveness.js";
import { longestDelayMs, restartDelay, shortestDelayMs } from "./restart-delay.js";
import type { ProcessEnd, Running } from "./start-process.js";
import { stopOrder } from "./stop-order.js";
import type { Readiness, Unit, UnitStatus } from "./unit.js";

describe("the delay before a start", () => {
  test("doubles from a second to five minutes for what ends at once", () => {
    const delays: number[] = [];
    for (let delay = 0; delays.length < 11; delays.push(delay)) delay = restartDelay(delay, 0);
    assert.deepEqual(
      delays.map((ms) => ms / 1000),
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300],
    );
  });

  const rows: readonly (readonly [before: number, ran: number, next: number])[] = [
    [shortestDelayMs, 9_999, 2_000],
    [shortestDelayMs, 10_000, shortestDelayMs],
    [64_000, 127_999, 128_000],
    [64_000, 128_000, shortestDelayMs],
    [longestDelayMs, 2 * longestDelayMs, shortestDelayMs],
  ];
  for (const [before, ran, next] of rows) {
    test(`${before} ms, then ${ran} ms of running: ${next} ms`, () => assert.equal(restartDelay(before, ran), next));
  }
});

test("who is asked by others stops last", () => {
  assert.deepEqual(stopOrder(["etcd", "orch-apiserver", "orch-scheduler", "orch-agent"]), [
    ["orch-agent", "orch-scheduler"],
    ["orch-apiserver"],
    ["etcd"],
  ]);
  assert.deepEqual(stopOrder([]), []);
});

const readiness: Readiness = { url: "", periodMs: 10_000, timeoutMs: 1000, failures: 3, startFailures: 6 };

describe("liveness", () => {
  /** The verdict over a process that answers so, one a question, and what was told. */
  async function watch(answers: readonly boolean[], ms: number) {
    const clock = createManualClock();
    const told: boolean[] = [];
    const asked = [...answers];
    let verdict: string | undefined;
    const stop = new AbortController();
    const watching = watchLiveness(
      readiness,
      { clock, probe: async () => asked.shift() ?? false, told: (ready) => void told.push(ready) },
      stop.signal,
    ).then((why) => {
      verdict = why;
    });
    await clock.pass(ms);
    const seen = verdict;
    stop.abort();
    await watching;
    return { told, seen };
  }

  test("a process that starts is given the time of its startup probe", async () => {
    assert.deepEqual(await watch([], 59_000), { told: [false], seen: undefined });
    assert.deepEqual(await watch([], 61_000), { told: [false], seen: "not healthy for 60 s" });
  });

  test("one that was well is given less, and only failures in a row count", async () => {
    const answers = [false, true, false, false, true, false, false, false];
    assert.deepEqual(await watch(answers, 60_000), { told: [false, true, false, true, false], seen: undefined });
    const { seen } = await watch(answers, 70_000);
    assert.equal(seen, "not healthy for 30 s");
  });
});

describe("a unit that is kept running", () => {
  const unit: Unit = {
    ...{ name: "a", command: "a", args: [], env: {}, hash: "h" },
    ...{ restart: "Always", stopWithinMs: 5000 },
  };

  interface FakeProcess {
    readonly signals: string[];
    end(end: ProcessEnd): void;
  }

  function setUp(given: Unit = unit, probe = async (): Promise<boolean> => true) {
    const clock = createManualClock();
    const processes: FakeProcess[] = [];
    const told: UnitStatus[] = [];
    const stop = new AbortController();
    const start = (): Running => {
      const signals: string[] = [];
      let end: (end: ProcessEnd) => void = () => {};
      const ended = new Promise<ProcessEnd>((resolve) => {
        end = resolve;
      });
      processes.push({ signals, end });
      return { pid: processes.length, ended, signal: (name, to) => void signals.push(`${name} ${to}`) };
    };
    const tools = { clock, probe, start, told: (status: UnitStatus) => void told.push(status) };
    let isOver = false;
    const done = keepRunning(given, tools, { signal: stop.signal }).then(() => {
      isOver = true;
    });
    return { clock, processes, told, stop, done, isOver: () => isOver };
  }
  const failed: ProcessEnd = { why: "exit code 1", isSuccess: false };

  test("starts again after its delay, and its children go with it", async () => {
    const { clock, processes, told, stop, done } = setUp();
    await clock.pass(0);
    processes[0]?.end(failed);
    await clock.pass(999);
    assert.equal(processes.length, 1);
    assert.deepEqual(processes[0]?.signals, ["SIGKILL group"]);
    await clock.pass(1);
    assert.equal(processes.length, 2);
    assert.deepEqual(told.at(-1), {
      name: "a",
      hash: "h",
      state: "running",
      pid: 2,
      restarts: 1,
      problem: "exit code 1",
    });
    stop.abort();
    processes[1]?.end(failed);
    await done;
  });

  test("is asked to end, and made to after its time", async () => {
    const { clock, processes, stop, isOver } = setUp();
    await clock.pass(0);
    stop.abort();
    await clock.pass(4999);
    assert.deepEqual(processes[0]?.signals, ["SIGTERM process"]);
    await clock.pass(1);
    assert.deepEqual(processes[0]?.signals, ["SIGTERM process", "SIGKILL group"]);
    assert.equal(isOver(), false);
    processes[0]?.end({ why: "SIGKILL", isSuccess: false });
    await clock.pass(0);
    assert.equal(isOver(), true);
  });

  test("is ended and started anew where it hangs", async () => {
    const { clock, processes, told, stop } = setUp({ ...unit, readiness }, async () => false);
    await clock.pass(60_000);
    assert.deepEqual(processes[0]?.signals, ["SIGTERM process"]);
    processes[0]?.end({ why: "SIGTERM", isSuccess: false });
    await clock.pass(1000);
    assert.equal(processes.length, 2);
    assert.equal(told.at(-1)?.problem, "not healthy for 60 s");
    stop.abort();
  });

  for (const [restart, isSuccess, starts] of [
    ["Never", false, 1],
    ["OnFailure", true, 1],
    ["OnFailure", false, 2],
    ["Always", true, 2],
  ] as const) {
    test(`restart: ${restart}, ended ${isSuccess ? "well" : "badly"}: ${starts} starts`, async () => {
      const { clock, processes, stop, isOver } = setUp({ ...unit, restart });
      await clock.pass(0);
      processes[0]?.end({ why: "x", isSuccess });
      await clock.pass(1000);
      assert.equal(processes.length, starts);
      assert.equal(isOver(), starts === 1);
      stop.abort();
    });
  }
});
