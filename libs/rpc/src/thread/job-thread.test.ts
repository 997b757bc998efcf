import assert from "node:assert/strict";
import { getPriority } from "node:os";
import { describe, type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { ApiError } from "@orch/status/api-error.js";
import { silent } from "../log.js";
import type { EchoJob } from "../testing/echo-thread.js";
import { createJobThread, type JobThread, type JobThreadOptions, type ThreadLimits } from "./job-thread.js";

interface Bed {
  readonly thread: JobThread<EchoJob, string>;
  run(job: EchoJob, owner?: string): Promise<string>;
  readonly started: () => number;
}

type Further = Partial<Pick<JobThreadOptions<string, string>, "answer" | "waitsForOthers" | "clock">>;

function open(t: TestContext, limits: Partial<ThreadLimits> = {}, further: Further = {}): Bed {
  let started = 0;
  const start = (): Worker => {
    started += 1;
    const resourceLimits = { maxOldGenerationSizeMb: 32 };
    return new Worker(new URL("../testing/echo-thread.js", import.meta.url), { resourceLimits });
  };
  const thread = createJobThread<EchoJob, string, string, string>({
    ...{ start, answer: async (text) => `<${text}>`, log: silent, limits },
    ...further,
  });
  t.after(() => thread.close());
  return { thread, run: (job, owner = "") => thread.run(job, { owner, bytes: 10 }), started: () => started };
}

const reasonOf = (error: unknown): string => (error instanceof ApiError ? error.reason : String(error));

describe("a thread for jobs", () => {
  test("is begun by the first job, and answers it", async (t) => {
    const { run, started } = open(t);
    assert.equal(started(), 0);
    assert.equal(await run({ do: "echo", text: "hello" }), "hello");
    assert.equal(await run({ do: "ask", text: "who" }), "answered <who>");
    assert.equal(started(), 1);
  });

  test("gives way to the thread that begins it, whose priority stays", async (t) => {
    const { run } = open(t);
    const before = getPriority(process.pid);
    const after = await run({ do: "priority" });
    assert.equal(getPriority(process.pid), before);
    assert.equal(Number(after), process.platform === "linux" ? 5 : before);
  });

  test("passes errors on as they are, faults with their text", async (t) => {
    const { run, thread } = open(t);
    await assert.rejects(run({ do: "refuse" }), { reason: "Conflict", code: 409 });
    await assert.rejects(run({ do: "fail" }), { name: "Error", message: "a fault" });
    assert.equal(thread.counts.deaths, 0);
  });

  test("that runs out of memory fails its job alone: the next one gets another thread", async (t) => {
    const { run, thread, started } = open(t, { atOnce: 1 });
    const [lost, next] = await Promise.allSettled([run({ do: "exhaust" }), run({ do: "echo", text: "next" })]);
    assert.match(String(lost.status === "rejected" && lost.reason), /more memory than a request may have/);
    assert.equal(next.status === "fulfilled" && next.value, "next");
    assert.equal(thread.counts.deaths, 1);
    assert.equal(started(), 2);
  });

  test("that ends by itself fails its jobs", async (t) => {
    const { run } = open(t);
    await assert.rejects(run({ do: "end" }), { reason: "InternalError" });
    assert.equal(await run({ do: "echo", text: "again" }), "again");
  });

  test("that does not come back is ended", async (t) => {
    const { run } = open(t, { silentMs: 500, atOnce: 1 });
    await assert.rejects(run({ do: "hang" }), { reason: "InternalError" });
    assert.equal(await run({ do: "echo", text: "again" }), "again");
  });

  test("without a job for long is ended, and begun anew by the next", async (t) => {
    const { run, started, thread } = open(t, { idleMs: 1 });
    await run({ do: "echo", text: "a" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await run({ do: "echo", text: "b" });
    assert.equal(started(), 2);
    assert.equal(thread.counts.deaths, 0);
  });

  test("more bytes than may wait are refused, those of a job that left are free again", async (t) => {
    const { run, thread } = open(t, { atOnce: 1, waitingBytes: 50 });
    const first = run({ do: "echo", text: "runs" });
    let leave = (): void => {};
    const onCancel = (cancel: () => void): void => {
      leave = cancel;
    };
    const waits = thread.run({ do: "echo", text: "waits" }, { owner: "", bytes: 20, onCancel });
    // One owner's may be half of them.
    const over = run({ do: "echo", text: "over" }).catch(reasonOf);
    const another = run({ do: "echo", text: "another's" }, "b");
    leave();
    assert.equal(await over, "TooManyRequests");
    assert.equal(await waits.catch(reasonOf), "ServiceUnavailable");
    assert.equal(await run({ do: "echo", text: "fits" }), "fits");
    assert.deepEqual(await Promise.all([first, another]), ["runs", "another's"]);
  });

  test("jobs that wait for each other leave their places, and are not taken for a thread that hangs", async (t) => {
    const timers = new Set<() => void>();
    const clock = {
      after(_ms: number, run: () => void) {
        timers.add(run);
        return () => void timers.delete(run);
      },
    };
    const waiting: (() => void)[] = [];
    let tellAll = (): void => {};
    const allWait = new Promise<void>((resolve) => {
      tellAll = resolve;
    });
    const answer = (text: string): Promise<string> =>
      new Promise((resolve) => {
        waiting.push(() => resolve(text));
        if (waiting.length === 5) tellAll();
      });
    const { run, thread } = open(t, { atOnce: 2 }, { answer, waitsForOthers: () => true, clock });
    const jobs = [0, 1, 2, 3, 4].map((i) => run({ do: "ask", text: String(i) }));
    await allWait;
    // Nothing is heard of a thread whose jobs all wait, and nobody waits for it.
    assert.deepEqual([timers.size, thread.counts.running], [0, 5]);
    for (const go of waiting) go();
    assert.deepEqual(
      await Promise.all(jobs),
      [0, 1, 2, 3, 4].map((i) => `answered ${i}`),
    );
    assert.equal(timers.size, 1);
    assert.equal(await run({ do: "echo", text: "next" }), "next");
  });

  test("a job whose caller left gets no more answers", async (t) => {
    let leave = (): void => {};
    const answer = async (text: string): Promise<string> => {
      leave();
      return text;
    };
    const { thread } = open(t, {}, { answer });
    const onCancel = (cancel: () => void): void => {
      leave = cancel;
    };
    const asked = await thread.run({ do: "ask", text: "once" }, { owner: "", bytes: 1, onCancel }).catch(reasonOf);
    assert.equal(asked, "answered once");
  });

  test("owners take turns: one who sends many is behind one who sends one", async (t) => {
    const { run } = open(t, { atOnce: 1 });
    const order: string[] = [];
    const noted = (owner: string, text: string): Promise<unknown> =>
      run({ do: "echo", text }, owner).then((value) => order.push(value));
    const many = ["a1", "a2", "a3", "a4"].map((text) => noted("a", text));
    await Promise.all([...many, noted("b", "b1")]);
    assert.deepEqual(order, ["a1", "a2", "b1", "a3", "a4"]);
  });

  test("a closed thread refuses what comes and what waits", async (t) => {
    const { run, thread } = open(t, { atOnce: 1 });
    const both = [run({ do: "hang" }), run({ do: "echo", text: "waits" })].map((each) => each.catch(reasonOf));
    await thread.close();
    assert.deepEqual(await Promise.all(both), ["ServiceUnavailable", "ServiceUnavailable"]);
    await assert.rejects(run({ do: "echo", text: "late" }), { reason: "ServiceUnavailable" });
  });
});
