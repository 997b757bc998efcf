import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { residentBytes } from "../cpu.js";
import { type ListForm, listForms } from "../lists/list-forms.js";
import { type Endpoint, httpRequest, once, sleep } from "../load/load.js";
import { openWatcher } from "../load/paced-watch.js";
import { openMany } from "../load/watch-load.js";
import { configMap, fill, measureFanOut, measureRequests, nameOf, type Timing } from "../runs.js";
import type { OrchTarget } from "../targets.js";

const namespace = "memory";
const settleMs = 10_000;
const restMs = 60_000;
const watchers = 100;
const connections = 32;
/** Lists of all objects at once. */
const wholeLists = 8;
const watched = 64;

export interface AfterLoad {
  readonly target: OrchTarget;
  /** Where its meter (`meter.ts`) answers. */
  readonly meter: string;
  readonly objects: number;
  readonly timing: Timing;
}

/** What a server takes with so many objects: idle since its start, after every sort of load, and when it has rested. */
export async function memoryAfterLoad({ target, meter, objects, timing }: AfterLoad): Promise<readonly string[]> {
  const [endpoint] = target.endpoints;
  const pid = (): number => [...target.pids.values()][0] ?? 0;
  if (endpoint === undefined) return [];
  await fill(target, namespace, objects);
  await target.restartCache();
  const told: string[] = [];
  const tell = async (what: string): Promise<number> => {
    const { anonymous, file } = residentBytes(pid());
    told.push(`${target.name}: ${what}: ${await taken(meter, anonymous)}, ${megabytes(file)} MB of files`);
    process.stderr.write(`${told.at(-1)}\n`);
    return anonymous;
  };
  await sleep(settleMs);
  const idle = await tell(`idle with ${objects} ConfigMaps`);
  for (const [name, load] of loads({ target, endpoint, timing, objects })) {
    await load();
    await tell(`after ${name}`);
  }
  await sleep(restMs);
  const rested = await tell(`after ${restMs / 1000} s of rest`);
  // What is alive, whatever the garbage collector has left for later.
  await askMeter(meter, "/gc");
  await tell("after a full collection");
  told.push(`${target.name}: ${(rested / idle).toFixed(2)} times the idle figure after a rest`);
  return told;
}

interface Loaded extends Pick<AfterLoad, "target" | "timing" | "objects"> {
  readonly endpoint: Endpoint;
}

type Named = readonly [name: string, load: () => Promise<unknown>];

function* loads({ target, endpoint, timing, objects }: Loaded): Generator<Named> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const measured = (count: number, bytesOf: (e: Endpoint) => Buffer): Promise<unknown> => {
    const run = { operation: "", connections: count, request: bytesOf, success: () => true, unit: "op/s" } as const;
    return measureRequests(target, run, { timing, floor: undefined });
  };
  let got = 0;
  yield [
    "gets",
    () => measured(connections, (e) => httpRequest(e, { method: "GET", path: `${path}/${nameOf(got++ % objects)}` })),
  ];
  const listed = ({ accept, query = "" }: ListForm, more: string) => {
    const separator = query === "" ? "?" : "&";
    return (e: Endpoint): Buffer =>
      httpRequest(e, { method: "GET", path: `${path}${query}${separator}${more}`, accept });
  };
  yield [
    "lists of 500 in every form",
    async () => {
      for (const form of listForms) await measured(connections, listed(form, "limit=500"));
    },
  ];
  yield [
    "lists of all in every form",
    async () => {
      for (const form of listForms) await measured(wholeLists, listed(form, "resourceVersion=0"));
    },
  ];
  yield [
    `${watchers} watches that begin with all objects`,
    () => crowd(target, `${path}?watch=1&resourceVersion=0`, objects),
  ];
  yield [
    `watches of ${watchers}`,
    async () => {
      const event = (e: Endpoint, i: number): Buffer => {
        const name = nameOf(i % watched);
        const body = configMap(name).replace("xxxxxxxx", String(i).padStart(8, "0"));
        return httpRequest(e, { method: "PUT", path: `${path}/${name}`, body });
      };
      const { body } = await once(endpoint, { method: "GET", path: `${path}?limit=1` });
      const { metadata }: { metadata: { resourceVersion: string } } = JSON.parse(body?.toString() ?? "");
      const watchPath = `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`;
      await measureFanOut(target, { operation: "", watchers, watchPath, event }, { timing, floor: undefined });
    },
  ];
  let made = 0;
  const create = (e: Endpoint): Buffer => httpRequest(e, { method: "POST", path, body: configMap(`new-${made++}`) });
  yield ["creates", () => measured(connections, create)];
  yield [
    "updates",
    () => {
      let i = 0;
      return measured(connections, (e) => {
        const name = nameOf(i++ % objects);
        const body = configMap(name).replace("xxxxxxxx", String(i).padStart(8, "0"));
        return httpRequest(e, { method: "PUT", path: `${path}/${name}`, body });
      });
    },
  ];
  yield [
    "deletes of what was made",
    async () => {
      let i = 0;
      while (i < made) {
        const part = Array.from({ length: Math.min(connections, made - i) }, () => `${path}/new-${i++}`);
        await Promise.all(part.map((one) => once(endpoint, { method: "DELETE", path: one })));
      }
    },
  ];
}

/** Watches that begin together; ends when each has all objects. */
async function crowd(target: OrchTarget, path: string, objects: number): Promise<void> {
  let left = watchers * objects;
  const sockets: TLSSocket[] = [];
  await new Promise<void>((resolve) => {
    const arrived = (): void => {
      left -= 1;
      if (left === 0) resolve();
    };
    const opened = openMany(target, watchers, (endpoint) => openWatcher(endpoint, path, arrived));
    void opened.then((open) => sockets.push(...open));
  });
  for (const socket of sockets) socket.destroy();
}

async function taken(meter: string, anonymous: number): Promise<string> {
  const { heapTotal, heapUsed, external, arrayBuffers }: NodeJS.MemoryUsage = JSON.parse(await askMeter(meter, "/"));
  const parts = { heap: heapTotal, "of it used": heapUsed, external, "array buffers": arrayBuffers };
  const rest = anonymous - heapTotal - external;
  const texts = Object.entries({ ...parts, neither: rest }).map(([name, bytes]) => `${name} ${megabytes(bytes)}`);
  return `${megabytes(anonymous)} MB of its own (${texts.join(", ")})`;
}

export function askMeter(meter: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: meter, path }, (response) => void text(response).then(resolve, reject));
    asked.once("error", reject);
    asked.end();
  });
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
