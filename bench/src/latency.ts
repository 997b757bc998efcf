import type { TLSSocket } from "node:tls";
import { startCpuMeter } from "./cpu.js";
import { startDeliveryAccount } from "./delivery-account.js";
import { type Endpoint, httpRequest, once, sleep } from "./load/load.js";
import { indexText, openWatcher, runPaced } from "./load/paced-watch.js";
import { openMany } from "./load/watch-load.js";
import { configMap, measureFanOut, type Timing } from "./runs.js";
import type { Row } from "./table.js";
import type { Target } from "./targets.js";

/** Objects that the changes go around: more than are under way at once. */
const watched = 64;
const calm = { watchers: 100, eventsPerSecond: 10_000 };
const crowd = 1000;
const stalled = 50;
/** What each stalled watcher is sent first, so that no buffer on the way has room for more. */
const swell = { events: 48, bytes: 100_000 };
const path = "/api/v1/namespaces/latency/configmaps";
/** How long stalled watchers may take to read what waited for them. */
const recoverMs = 10_000;

interface Options {
  readonly timing: Timing;
  readonly note: (row: Row) => Row;
}

/** How long events take from the request that makes them until their watchers have read them. */
export async function benchLatency(target: Target, options: Options): Promise<readonly string[]> {
  const paced = await prepareWatched(target);
  const told: string[] = [];
  const measure = async (operation: string, load: { watchers: number; eventsPerSecond: number }): Promise<Row> => {
    const account = await startDeliveryAccount(target);
    const { row, p99AfterAnswer } = await paced({ operation, ...load }, options.timing);
    told.push(
      `${target.name}, ${operation}: p99 ${p99AfterAnswer.toFixed(2)} ms after the answer to the writer; ` +
        `from commit to socket, by the gateways' own account, ${await account.read()}`,
    );
    return options.note(row);
  };
  await measure("watch 10,000 events/s", calm);
  const fanOut = {
    operation: "watch fan-out, the limit",
    watchers: crowd,
    watchPath: await pathFromNow(target),
    event: change,
  };
  const limit = options.note(await measureFanOut(target, fanOut, { timing: options.timing, floor: undefined }));
  const half = { watchers: crowd, eventsPerSecond: limit.perSecond / 2 };
  const alone = await measure("watch at half the limit", half);
  const stall = await openStalled(target);
  const beside = await measure(`the same, ${stalled} stalled`, half);
  told.push(
    `${target.name}: p99 beside ${stalled} watchers that do not read ${(beside.p99 / alone.p99).toFixed(2)} times that without; ` +
      `${await stall.recovered()} of them got every event once they read again`,
  );
  return told;
}

function change(endpoint: Endpoint, index: number): Buffer {
  const name = `w${index % watched}`;
  const body = configMap(name).replace("xxxxxxxx", indexText(index));
  return httpRequest(endpoint, { method: "PUT", path: `${path}/${name}`, body });
}

interface Paced {
  readonly operation: string;
  readonly watchers: number;
  readonly eventsPerSecond: number;
}

/** Makes the objects that are watched; gives what measures changes of them at a pace. */
export async function prepareWatched(
  target: Target,
): Promise<(run: Paced, timing: Timing) => ReturnType<typeof measurePaced>> {
  const endpoint = firstOf(target);
  const body = JSON.stringify({ metadata: { name: "latency" } });
  await once(endpoint, { method: "POST", path: "/api/v1/namespaces", body });
  for (let i = 0; i < watched; i++) await once(endpoint, { method: "POST", path, body: configMap(`w${i}`) });
  return (run, timing) => measurePaced(target, run, timing);
}

function firstOf({ endpoints: [endpoint] }: Target): Endpoint {
  if (endpoint === undefined) throw new TypeError("no endpoint");
  return endpoint;
}

async function pathFromNow(target: Target): Promise<string> {
  const endpoint = firstOf(target);
  const { body } = await once(endpoint, { method: "GET", path: `${path}?limit=1` });
  const list: { metadata: { resourceVersion: string } } = JSON.parse(body?.toString() ?? "");
  return `${path}?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
}

async function measurePaced(
  target: Target,
  run: Paced,
  timing: Timing,
): Promise<{ readonly row: Row; readonly p99AfterAnswer: number }> {
  const { operation, watchers } = run;
  let meter = startCpuMeter(target.pids);
  const load = {
    ...timing,
    watchers,
    endpoints: target.endpoints,
    watchPath: await pathFromNow(target),
    event: change,
    writesPerSecond: run.eventsPerSecond / watchers,
  };
  const measured = await runPaced(load, () => {
    meter = startCpuMeter(target.pids);
  });
  const used = meter.read();
  const row: Row = {
    operation,
    mode: target.name,
    connections: watchers,
    perSecond: measured.deliveredPerSecond,
    unit: "events/s",
    p50: measured.p50,
    p99: measured.p99,
    cpu: new Map([...used].map(([name, us]) => [name, us / Math.max(1, measured.delivered)])),
    ratio: undefined,
    floor: "",
    failures: 0,
  };
  return { row, p99AfterAnswer: measured.p99AfterAnswer };
}

/** Watchers that stop reading once they were accepted, and have more waiting for them than buffers take. */
async function openStalled(target: Target): Promise<{ recovered(): Promise<number> }> {
  const first = firstOf(target);
  const watchPath = await pathFromNow(target);
  let done = 0;
  const sockets = await openMany(target, stalled, async (endpoint): Promise<TLSSocket> => {
    const socket = await openWatcher(endpoint, watchPath, (index) => {
      if (index === lastIndex) done += 1;
    });
    return socket.pause();
  });
  for (let i = 0; i < swell.events; i++) {
    const body = JSON.stringify({
      metadata: { name: "large" },
      data: { text: `${indexText(i)}${"x".repeat(swell.bytes)}` },
    });
    const request = i === 0 ? { method: "POST", path } : { method: "PUT", path: `${path}/large` };
    await once(first, { ...request, body });
  }
  return {
    async recovered() {
      await once(first, {
        method: "PUT",
        path: `${path}/w0`,
        body: configMap("w0").replace("xxxxxxxx", indexText(lastIndex)),
      });
      for (const socket of sockets) socket.resume();
      for (let waited = 0; done < stalled && waited < recoverMs; waited += 100) await sleep(100);
      for (const socket of sockets) socket.destroy();
      return done;
    },
  };
}

/** A number that no other event has. */
const lastIndex = 99_999_999;
