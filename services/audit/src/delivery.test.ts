import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { joinLines, splitLines } from "@orch/audit/lines.js";
import { openSpool } from "@orch/audit/spool/spool.js";
import { createFitting } from "@orch/audit/truncate.js";
import { createNaming } from "@orch/naming/naming.js";
import { type Clock, systemClock } from "@orch/status/clock.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { type DeliveryOptions, startDelivery } from "./delivery.js";
import type { Written } from "./sinks/sink.js";
import { eventLine } from "./sinks/sink.suite.js";

interface Given extends Partial<DeliveryOptions> {
  readonly answer?: (ids: readonly string[]) => Written | Promise<Written>;
  readonly truncated?: boolean;
  readonly maxBytes?: number;
  readonly clock?: Clock;
}

const ok: Written = { outcome: "written" };
const idOf = (line: Buffer): string => /"auditID":"(\w+)"/.exec(line.toString())?.[1] ?? "";

async function bed(
  t: TestContext,
  { answer = () => ok, truncated = false, maxBytes = 1 << 20, clock = systemClock, ...options }: Given = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "delivery-"));
  const spool = await openSpool({ folder, maxBytes, pid: process.pid, warn: () => {}, saveEveryMs: 1 });
  const batches: string[][] = [];
  const lost: string[] = [];
  const now: string[][] = [];
  const delivery = startDelivery(
    { mode: "batch", maxBatchSize: 10, maxWaitMs: 0, throttle: undefined, initialBackoffMs: 1, ...options },
    {
      sink: {
        name: "fake",
        async write(lines) {
          const ids = lines.map(idOf);
          const said = await answer(ids);
          if (said.outcome === "written") batches.push(ids);
          return said;
        },
        async writeLines(lines) {
          const ids = splitLines(lines).map(idOf);
          const said = await answer(ids);
          if (said.outcome === "written") now.push(ids);
          return said;
        },
        close: async () => {},
      },
      reader: await spool.reader("fake"),
      fit: truncated ? createFitting({ maxEventSize: 300, maxBatchSize: 600 }, createNaming("kubernetes")) : undefined,
      clock,
      random: () => 0,
      report: {
        delivered: () => {},
        failed: () => {},
        lost: (_sink, events, why) => void lost.push(`${events} ${why}`),
      },
    },
  );
  t.after(async () => {
    await delivery.stop();
    await spool.close();
    await rm(folder, { recursive: true });
  });
  const put = (...ids: readonly string[]) =>
    spool.append(
      ids.map((id) => eventLine(id)),
      { sync: false, keepUnread: false },
    );
  return { delivery, spool, batches, now, lost, put };
}

async function until(done: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!done()) {
    if (performance.now() > end) throw new Error("it did not come to that");
    await pause(2);
  }
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `e${i}`);

test("events are delivered in batches of their order", async (t) => {
  const { batches, put } = await bed(t);
  await put(...ids(25));
  await until(() => batches.flat().length === 25);
  assert.deepEqual(batches.flat(), ids(25));
  assert.ok(batches.every((batch) => batch.length <= 10));
});

test("a batch waits for further events until it is full", async (t) => {
  const { batches, put } = await bed(t, { maxWaitMs: 60_000 });
  await put("a");
  await pause(30);
  assert.equal(batches.length, 0);
  await put(..."bcdefghij");
  await until(() => batches.length === 1);
  assert.equal(batches[0]?.length, 10);
});

test("a batch that is not full goes once it has waited", async (t) => {
  const { batches, put } = await bed(t, { maxWaitMs: 20 });
  await put("a");
  await until(() => batches.length === 1);
});

test("what a sink does not take is offered again, before anything else", async (t) => {
  let away = true;
  const { batches, put, lost, delivery } = await bed(t, {
    answer: () => (away ? { outcome: "failed", why: "away" } : ok),
  });
  await put(...ids(5));
  await until(() => delivery.trouble === "away");
  await put("later");
  away = false;
  await until(() => batches.flat().length === 6);
  assert.deepEqual(batches.flat(), [...ids(5), "later"]);
  assert.deepEqual([lost, delivery.trouble], [[], undefined]);
});

test("one event that is never taken takes no others with it", async (t) => {
  const { batches, put, lost } = await bed(t, {
    answer: (all) => (all.includes("e3") ? { outcome: "refused", why: "too odd" } : ok),
  });
  await put(...ids(8));
  await until(() => batches.flat().length === 7);
  assert.deepEqual(
    batches.flat(),
    ids(8).filter((id) => id !== "e3"),
  );
  assert.deepEqual(lost, ["1 too odd"]);
});

test("who waits for an event waits until the sink has it, and no longer than it works", async (t) => {
  let answerFirst: (written: Written) => void = () => {};
  const gate = new Promise<Written>((resolve) => {
    answerFirst = resolve;
  });
  let first = true;
  const { put, delivery } = await bed(t, {
    mode: "blocking",
    answer: () => {
      const answer = first ? gate : ok;
      first = false;
      return answer;
    },
  });
  const { next } = await put("a");
  let done = false;
  const waiting = delivery.attempted(next).then(() => {
    done = true;
  });
  await pause(20);
  assert.equal(done, false);
  answerFirst({ outcome: "failed", why: "away" });
  await waiting;
});

test("nobody waits for a sink that is in trouble", async (t) => {
  const { put, delivery } = await bed(t, {
    ...{ mode: "blocking", initialBackoffMs: 60_000 },
    answer: () => ({ outcome: "failed", why: "away" }),
  });
  await put("a");
  await until(() => delivery.trouble !== undefined);
  await delivery.attempted((await put("b")).next);
});

test("what is too large is left out and counted, and a batch is divided by its bytes", async (t) => {
  const { batches, lost, spool } = await bed(t, { truncated: true });
  const large = eventLine("big", `,"userAgent":"${"x".repeat(400)}"`);
  await spool.append([eventLine("a"), large, ...ids(5).map((id) => eventLine(id))], { sync: false, keepUnread: false });
  await until(() => batches.flat().length === 6);
  assert.deepEqual(lost, ["1 event is too large even after truncating"]);
  assert.ok(batches.length > 1);
});

test("a spool without room for what waits says how much is lost", async (t) => {
  let away = true;
  const { batches, lost, put } = await bed(t, {
    maxBytes: 1 << 16,
    answer: () => (away ? { outcome: "failed", why: "away" } : ok),
  });
  for (let i = 0; i < 1_000; i++) await put(`e${i}`);
  away = false;
  await until(() => batches.flat().at(-1) === "e999");
  const gone = lost.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0);
  assert.ok(gone > 0);
  assert.equal(batches.flat().length + gone, 1_000);
});

test("calls of a sink are bounded", async (t) => {
  const clock = createManualClock();
  const { batches, put } = await bed(t, { clock, maxBatchSize: 1, throttle: { qps: 50, burst: 2 } });
  await put(...ids(6));
  for (let calls = 2; calls <= 6; calls++) {
    await until(() => batches.length === calls && clock.waiting() === (calls < 6 ? 1 : 0));
    await clock.pass(19);
    assert.equal(batches.length, calls, "the next one is due a fiftieth of a second after the last");
    await clock.pass(1);
  }
});

const linesOf = (...some: readonly string[]): Buffer => joinLines(some.map((id) => eventLine(id)));

test("a sink that is near has events at once, without the spool", async (t) => {
  const { delivery, now, spool } = await bed(t);
  assert.equal(await delivery.writeNow?.(linesOf("a", "b"), 2), true);
  assert.deepEqual(now, [["a", "b"]]);
  assert.equal(spool.end, 0);
});

test("while events wait in the spool, later ones wait behind them", async (t) => {
  let away = true;
  const { delivery, now, batches, put } = await bed(t, {
    answer: () => (away ? { outcome: "failed", why: "away" } : ok),
  });
  assert.equal(await delivery.writeNow?.(linesOf("a"), 1), false);
  await put("a");
  assert.equal(await delivery.writeNow?.(linesOf("b"), 1), false);
  await put("b");
  away = false;
  await until(() => batches.flat().length === 2 && delivery.waiting === 0);
  assert.equal(await delivery.writeNow?.(linesOf("c"), 1), true);
  assert.deepEqual([...batches.flat(), ...now.flat()], ["a", "b", "c"]);
});

test("events that may have to be cut, or to wait, go by the spool", async (t) => {
  assert.equal((await bed(t, { truncated: true })).delivery.writeNow, undefined);
  assert.equal((await bed(t, { throttle: { qps: 1, burst: 1 } })).delivery.writeNow, undefined);
});
