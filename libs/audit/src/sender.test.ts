import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "@orch/status/clock.js";
import { createSender, type Sender, type SenderOptions } from "./sender.js";
import { openSpool } from "./spool/spool.js";

interface Bench {
  readonly sender: Sender;
  /** What the service has, in the order in which it took it. */
  readonly taken: string[];
  readonly calls: number[];
  readonly lost: () => number;
  /** Calls, those that failed among them. */
  tried: number;
  away: boolean;
}

async function bench(
  t: TestContext,
  { folder, ...options }: Partial<SenderOptions> & { readonly folder?: string } = {},
): Promise<Bench> {
  const taken: string[] = [];
  const calls: number[] = [];
  let lost = 0;
  const spool =
    folder === undefined
      ? undefined
      : await openSpool({ folder, maxBytes: 1 << 20, pid: process.pid, warn: () => {}, saveEveryMs: 1 });
  const self: Bench = {
    ...{ taken, calls, away: false, tried: 0, lost: () => lost },
    sender: createSender(
      { maxWaiting: 10_000, maxWaitingBytes: 1 << 20, strict: false, ...options },
      {
        async append(events) {
          self.tried++;
          await pause(1);
          if (self.away) throw new Error("away");
          calls.push(events.length);
          taken.push(...events.map(String));
        },
        spool: spool === undefined ? undefined : { spool, reader: await spool.reader("service") },
        clock: { ...systemClock, after: (ms, run) => systemClock.after(Math.min(ms, 5), run) },
        random: () => 0,
        later: setImmediate,
        lost: (events) => {
          lost += events;
        },
        warn: () => {},
      },
    ),
  };
  t.after(() => self.sender.close());
  return self;
}

const folders = await mkdtemp(join(tmpdir(), "sender-"));
// Once every sender is closed: what closes first writes there.
after(() => rm(folders, { recursive: true, force: true }));
const newFolder = (): Promise<string> => mkdtemp(join(folders, "spool-"));

const names = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => `e${from + i}`);
const sendAll = (sender: Sender, all: readonly string[]): void => {
  for (const one of all) sender.send(one);
};

async function until(done: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!done()) {
    if (performance.now() > end) throw new Error("it did not come to that");
    await pause(2);
  }
}

test("the events of a turn go together", async (t) => {
  const { sender, taken, calls } = await bench(t);
  sendAll(sender, names(50));
  await until(() => taken.length === 50);
  assert.deepEqual(calls, [50]);
  assert.deepEqual(taken, names(50));
});

test("an event that is waited for is told to be kept once the service has it", async (t) => {
  const { sender, taken } = await bench(t);
  assert.equal(await sender.sendAndWait("a"), true);
  assert.deepEqual(taken, ["a"]);
});

test("without a spool events wait in memory, in order, and nobody is told that they are kept", async (t) => {
  const self = await bench(t);
  self.away = true;
  assert.equal(await self.sender.sendAndWait("e0"), false);
  assert.equal(await self.sender.sendAndWait("e1"), false);
  sendAll(self.sender, names(100, 2));
  await pause(20);
  self.away = false;
  await until(() => self.taken.length >= 102);
  assert.deepEqual(self.taken, names(102));
  assert.equal(self.lost(), 0);
});

test("a buffer that is full drops its oldest events, and counts them", async (t) => {
  const self = await bench(t, { maxWaiting: 10 });
  self.away = true;
  sendAll(self.sender, names(5));
  await pause(20);
  sendAll(self.sender, names(20, 5));
  // The five may be on their way at this moment, and are counted when they come back.
  await until(() => self.lost() === 15);
  self.away = false;
  await until(() => self.taken.length >= 10);
  assert.deepEqual(self.taken, names(10, 15));
});

test("with a spool events are kept while the service is away, and sent in order when it is back", async (t) => {
  const self = await bench(t, { folder: await newFolder() });
  sendAll(self.sender, names(10));
  await until(() => self.taken.length === 10);
  self.away = true;
  assert.equal(await self.sender.sendAndWait("e10"), true);
  for (let i = 11; i < 200; i += 7) {
    sendAll(self.sender, names(Math.min(7, 200 - i), i));
    await pause(1);
  }
  self.away = false;
  await until(() => self.taken.length >= 200);
  assert.deepEqual(self.taken, names(200));
  sendAll(self.sender, names(5, 200));
  await until(() => self.taken.length >= 205);
  assert.deepEqual(self.taken, names(205));
  assert.equal(self.lost(), 0);
});

test("what an earlier process has left in the spool goes first", async (t) => {
  const folder = await newFolder();
  const before = await bench(t, { folder });
  before.away = true;
  sendAll(before.sender, names(20));
  await pause(20);
  await before.sender.close();
  const after = await bench(t, { folder });
  sendAll(after.sender, names(5, 20));
  await until(() => after.taken.length >= 25);
  assert.deepEqual(after.taken, names(25));
});

test("a sender that is closed while the service is away tries no more", async (t) => {
  const self = await bench(t);
  self.away = true;
  sendAll(self.sender, names(5));
  await pause(20);
  await self.sender.close();
  const { tried } = self;
  await pause(20);
  assert.equal(self.tried, tried);
  assert.equal(self.lost(), 5);
});
