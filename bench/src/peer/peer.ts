import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { buildGoProgram } from "@orch/e2e/clients/go-program.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { residentBytes } from "../cpu.js";
import { once } from "../load/load.js";
import { fill, type Timing } from "../runs.js";
import { printTable, type Row } from "../table.js";
import { type Held, printMatrix } from "./matrix.js";
import { type Column, few, measureAll, namespaces, watched } from "./operations.js";
import { peerModule, peerProgram, startOurs, startPeer, startServices } from "./servers.js";
import { configMaps, define, things } from "./things.js";

export interface PeerOptions {
  readonly seconds: number;
  readonly objects: number;
  readonly modes: readonly string[];
  readonly "near-cache": boolean;
  readonly print: (text: string) => void;
}

/** So often the servers take turns: what else the machine does then meets them alike. */
const rounds = 3;

/**
 * The reference's libraries beside our servers: the same custom resources, the same load, in turns. It prints one table with
 * all figures, and one with the parts of CPU time.
 * @returns whether every request was answered as it should be; also where it is skipped, and says why
 */
export async function benchPeer(options: PeerOptions): Promise<boolean> {
  const { print, seconds, objects } = options;
  const missing = etcdMissing() ?? (await build());
  if (missing !== undefined) {
    print(`SKIPPED: the peer needs Go and etcd, and nothing else does: ${missing}\n`);
    return true;
  }
  const before = loadavg()[0] ?? 0;
  const timing: Timing = { warmupMs: (seconds * 1000) / 4, durationMs: seconds * 1000 };
  const columns: Column[] = [];
  const rows: Row[] = [];
  try {
    for await (const column of startAll(options)) columns.push(column);
    for (const column of columns) await prepare(column, objects);
    for await (const row of measureAll(columns, { timing, rounds, objects })) {
      // Its ratios stand in the table of all figures, the other way round.
      rows.push({ ...row, ratio: undefined, floor: "" });
      process.stderr.write(`${row.operation}, ${row.mode}: ${row.perSecond.toFixed(0)} ${row.unit}\n`);
    }
    print(
      `${headline({ seconds, objects, before })}\n\n${printMatrix(rows, columns.map(held))}\n\n${printTable(rows)}\n`,
    );
  } finally {
    for (const { server } of columns) await server.stop();
  }
  return rows.every(({ failures }) => failures === 0);
}

/** The peer first: the others are set beside it. ConfigMaps have a server of their own, whose memory holds nothing else. */
async function* startAll(options: PeerOptions): AsyncGenerator<Column> {
  const near = options["near-cache"];
  yield { name: "peer", kind: things, server: await startPeer(peerProgram) };
  if (options.modes.includes("standalone")) {
    yield { name: "standalone", kind: things, server: await startOurs("embedded") };
    yield { name: "standalone on etcd", kind: things, server: await startOurs("etcd") };
  }
  if (options.modes.includes("distributed")) {
    yield { name: near ? "distributed, near" : "distributed", kind: things, server: await startServices({ near }) };
  }
  if (options.modes.includes("standalone")) {
    yield { name: "standalone, ConfigMaps", kind: configMaps, server: await startOurs("embedded") };
  }
}

async function build(): Promise<string | undefined> {
  process.stderr.write("building the peer with a low priority: minutes the first time\n");
  return await buildGoProgram({ module: peerModule, package: ".", to: peerProgram, gently: true });
}

/** Fills a server with objects of a kind. */
async function prepare({ server, kind, name }: Column, objects: number): Promise<void> {
  const [endpoint] = server.endpoints;
  if (endpoint === undefined) throw new TypeError("no endpoint");
  const began = performance.now();
  if (kind === things) await define(endpoint, server.definitions);
  await fill(server, namespaces.all, objects, kind);
  await fill(server, namespaces.few, few, kind);
  await fill(server, namespaces.watched, watched, kind);
  const body = JSON.stringify({ metadata: { name: namespaces.created } });
  // The peer has no namespaces and asks for none.
  await once(endpoint, { method: "POST", path: "/api/v1/namespaces", body });
  const { bytes } = await once(endpoint, { method: "GET", path: `${kind.pathIn(namespaces.all)}/cm-000000` });
  process.stderr.write(
    `${name}: filled in ${((performance.now() - began) / 1000).toFixed(1)} s, ${bytes} bytes each\n`,
  );
}

/** Memory of all its processes; what they map of files is the kernel's to take back, and several map the same. */
function held({ name, server }: Column): Held {
  const bytes = [...server.pids.values()].reduce((sum, pid) => sum + residentBytes(pid).anonymous, 0);
  return { column: name, bytes };
}

function headline({ seconds, objects, before }: { seconds: number; objects: number; before: number }): string {
  const said = (program: string, args: readonly string[]): string =>
    (execFileSync(program, args, { encoding: "utf8" }).split("\n")[0] ?? "").trim();
  const [processor] = cpus();
  const go = said("go", ["env", "GOVERSION"]);
  const etcd = said("etcd", ["--version"]).replace(" Version:", "");
  return (
    `${cpus().length} × ${processor?.model ?? "?"}, node ${process.version}, ${go}, ${etcd}; ${objects} objects of 1.6 KB, ` +
    `${seconds} s a figure in ${rounds} turns, TLS; load of the machine before: ${before.toFixed(1)}`
  );
}
