import type { TLSSocket } from "node:tls";
import { againstCpu } from "../compared.js";
import { preciseCpuMicroseconds } from "../cpu.js";
import { httpRequest, open, sleep } from "../load/load.js";
import { createResponseReader } from "../load/response-reader.js";
import { percentiles } from "../percentile.js";
import type { Row } from "../table.js";
import type { Target } from "../targets.js";
import type { ListForm } from "./list-forms.js";

/** Of each form in a turn. */
const each = 8;
const settleMs = 400;

interface FirstLists {
  /** What is listed, for people. */
  readonly what: string;
  readonly forms: readonly ListForm[];
  /** Each is asked for once in each form. */
  readonly paths: readonly string[];
  /** How many of the paths only warm up. */
  readonly warmup: number;
}

/** CPU of lists that were not asked for before in their form: forms take turns, with the first one as the others' floor. */
export async function firstLists(target: Target, { what, forms, paths, warmup }: FirstLists): Promise<readonly Row[]> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return [];
  const socket = await open(endpoint);
  const ask = asker(socket);
  const took = forms.map(() => ({ cpu: new Map<string, number>(), ms: [] as number[], failures: 0 }));
  for (let at = 0; at < paths.length; at += each) {
    for (const [i, { accept, query = "" }] of forms.entries()) {
      const account = took[i];
      if (account === undefined) continue;
      // What the form before has left to the garbage collector is not this one's.
      await sleep(settleMs);
      const before = new Map([...target.pids].map(([name, pid]) => [name, preciseCpuMicroseconds(pid)]));
      for (const path of paths.slice(at, at + each)) {
        const began = performance.now();
        const code = await ask(httpRequest(endpoint, { method: "GET", path: path + query, accept }));
        if (code !== 200) account.failures += 1;
        if (at >= warmup) account.ms.push(performance.now() - began);
      }
      if (at < warmup) continue;
      for (const [name, pid] of target.pids) {
        const used = preciseCpuMicroseconds(pid) - (before.get(name) ?? 0);
        account.cpu.set(name, (account.cpu.get(name) ?? 0) + used);
      }
    }
  }
  socket.destroy();
  const rows = forms.map(({ name }, i): Row => {
    const { cpu, ms, failures } = took[i] ?? { cpu: new Map<string, number>(), ms: [], failures: 0 };
    const percentile = percentiles(ms);
    return {
      ...{ operation: `first list of ${what} as ${name}`, mode: target.name, connections: 1 },
      ...{ perSecond: (1000 * ms.length) / ms.reduce((a, b) => a + b, 0), unit: "op/s" },
      ...{ p50: percentile(0.5), p99: percentile(0.99), ratio: undefined, floor: "", failures },
      cpu: new Map([...cpu].map(([process, used]) => [process, used / ms.length])),
    };
  });
  const [floor] = rows;
  return rows.map((row) => (floor === undefined || row === floor ? row : againstCpu(row, floor)));
}

/** One request after the other; gives the codes of their answers. */
function asker(socket: TLSSocket): (request: Buffer) => Promise<number> {
  let answered: (code: number) => void = () => {};
  const reader = createResponseReader(({ code }) => answered(code));
  socket.on("data", (data) => reader.push(data));
  return (request) =>
    new Promise((resolve) => {
      answered = resolve;
      socket.write(request);
    });
}
