import type { TLSSocket } from "node:tls";
import { residentBytes } from "../cpu.js";
import { httpRequest, open, sleep } from "../load/load.js";
import { openWatcher } from "../load/paced-watch.js";
import { openMany } from "../load/watch-load.js";
import type { Target } from "../targets.js";

const idleWatchers = 1000;
const lists = 10;
/** A reader takes what has come, up to this, and waits: about 1 MB a second. */
const slow = { bytes: 64 * 1024, pauseMs: 64, forMs: 10_000, lookMs: 100 };
const settleMs = 5000;

interface Filled {
  readonly namespace: string;
  readonly objects: number;
}

/** What a target that was filled takes: at rest, with watchers that get nothing, and while slow clients list it all. */
export async function memoryAtRest(target: Target, { namespace, objects }: Filled): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const told: string[] = [];
  const tell = (what: string): void => {
    for (const [name, pid] of target.pids) told.push(`${name}: ${resident(pid)} with ${what}`);
  };
  await sleep(settleMs);
  tell(`${objects} ConfigMaps of 1 KiB`);
  const watchers = await openMany(target, idleWatchers, (endpoint) =>
    openWatcher(endpoint, `${path}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dcm-000000`, () => {}),
  );
  await sleep(settleMs);
  tell(`${idleWatchers} idle watchers besides`);
  for (const socket of watchers) socket.destroy();
  await sleep(settleMs);
  told.push(...(await slowLists(target, path)));
  return told;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function resident(pid: number): string {
  const { anonymous, file } = residentBytes(pid);
  return `${megabytes(anonymous + file)} MB resident (${megabytes(anonymous)} of its own, ${megabytes(file)} of files)`;
}

/** The most that each process takes more while some clients read large lists slowly. */
async function slowLists(target: Target, path: string): Promise<readonly string[]> {
  const before = new Map([...target.pids.values()].map((pid) => [pid, residentBytes(pid).anonymous]));
  const most = new Map(before);
  const sockets = await openMany(target, lists, async (endpoint): Promise<TLSSocket> => {
    const socket = await open(endpoint);
    readSlowly(socket);
    socket.write(httpRequest(endpoint, { method: "GET", path }));
    return socket;
  });
  for (let waited = 0; waited < slow.forMs; waited += slow.lookMs) {
    await sleep(slow.lookMs);
    for (const [pid, known] of most) most.set(pid, Math.max(known, residentBytes(pid).anonymous));
  }
  for (const socket of sockets) socket.destroy();
  return [...target.pids].map(([name, pid]) => {
    const more = (most.get(pid) ?? 0) - (before.get(pid) ?? 0);
    return `${name}: ${megabytes(more)} MB more while ${lists} slow clients list it all`;
  });
}

function readSlowly(socket: TLSSocket): void {
  let taken = 0;
  socket.on("data", (data: Buffer) => {
    taken += data.length;
    if (taken < slow.bytes) return;
    taken = 0;
    socket.pause();
    setTimeout(() => socket.resume(), slow.pauseMs);
  });
}
