import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Etcd3, type IOptions } from "etcd3";
import { open } from "lmdb";

// The floor of writes, in a process of its own: bare transactions of prepared values, `inFlight` at a time.
//   node store-floor.js lmdb|etcd3 <inFlight> <valueBytes> <milliseconds> [endpoint…]
const [kind = "lmdb", inFlight = "1", size = "1024", duration = "1000", ...endpoints] = process.argv.slice(2);
const value = Buffer.alloc(Number(size), "x");

interface Floor {
  write(index: number): Promise<unknown>;
  close(): Promise<void>;
}

function lmdbFloor(): Floor {
  const path = mkdtempSync(join(tmpdir(), "orch-floor-"));
  const db = open<Buffer, string>({ path: join(path, "data"), encoding: "binary" });
  return {
    async write(index) {
      await db.put(`/floor/${index}`, value);
      await db.flushed;
    },
    async close() {
      await db.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** etcd3 as it comes, but for its policies, which would send a transaction twice. */
function etcdFloor(): Floor {
  const options: IOptions = { hosts: [...endpoints] };
  const client = new Etcd3(options);
  return {
    write: (index) =>
      client
        .if(`/floor/${process.pid}/${index}`, "Create", "==", 0)
        .then(client.put(`/floor/${process.pid}/${index}`).value(value))
        .commit(),
    async close() {
      client.close();
    },
  };
}

const floor = kind === "lmdb" ? lmdbFloor() : etcdFloor();
let index = 0;
let done = 0;
const until = async (ms: number): Promise<void> => {
  const end = performance.now() + ms;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      await floor.write(index++);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, worker));
};
await until(Number(duration) / 4);
done = 0;
const cpu = process.cpuUsage();
const began = performance.now();
await until(Number(duration));
const seconds = (performance.now() - began) / 1000;
const used = process.cpuUsage(cpu);
process.stdout.write(
  `${JSON.stringify({ perSecond: done / seconds, cpuPerOperation: (used.user + used.system) / done })}\n`,
);
await floor.close();
process.exit(0);
