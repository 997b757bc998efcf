/**
 * The cost of one hop, two processes: `node dist/hop.bench.js [seconds]`. Prints calls/s and CPU µs per call of
 * each side for gets with 1 KiB replies. With CPU_PROF=1 the caller's process writes nothing itself: start it
 * with node --cpu-prof.
 */
import { fork } from "node:child_process";
import { connect } from "./link/grpc-client.js";
import { createGrpcServer } from "./link/grpc-server.js";
import type { GetRequest } from "./messages.js";
import { watchCacheGet } from "./methods.js";
import type { Caller } from "./rpc.js";

const micros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

async function serve(): Promise<void> {
  const server = createGrpcServer({ host: "127.0.0.1", port: 0 });
  const body = Buffer.alloc(1024, "x");
  const delayed = process.argv[3] === "async";
  server.services.unary(watchCacheGet, delayed ? async () => ({ body }) : () => ({ body }));
  const port = await server.listen();
  process.send?.({ port });
  process.on("message", () => process.send?.({ cpu: micros() }));
  process.on("disconnect", () => process.exit(0));
}

const request: GetRequest = {
  group: "",
  version: "v1",
  resource: "configmaps",
  namespace: "default",
  name: "settings-of-a-service",
  resourceVersion: "0",
  subresource: "",
  form: "",
};

async function load(caller: Caller, inFlight: number, seconds: number): Promise<{ calls: number; p99: number }> {
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  let calls = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      await caller.call(watchCacheGet, request, { deadlineMs: 10_000 });
      if (calls++ % 16 === 0) times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  times.sort((a, b) => a - b);
  return { calls, p99: times[Math.floor(times.length * 0.99)] ?? 0 };
}

async function measure(): Promise<void> {
  const seconds = Number(process.argv[2] ?? 3);
  const child = fork(process.argv[1] ?? "", ["serve", process.argv[3] ?? "sync"]);
  const answer = (): Promise<{ port: number; cpu: number }> =>
    new Promise((resolve) => child.once("message", (message: { port: number; cpu: number }) => resolve(message)));
  const { port } = await answer();
  const cpuOfChild = async (): Promise<number> => {
    const reply = answer();
    child.send("cpu");
    return (await reply).cpu;
  };
  const caller = connect({ target: `127.0.0.1:${port}` });
  await load(caller, 32, 1);
  for (const inFlight of [1, 32, 128]) {
    const before = { own: micros(), child: await cpuOfChild() };
    const { calls, p99 } = await load(caller, inFlight, seconds);
    const own = (micros() - before.own) / calls;
    const other = ((await cpuOfChild()) - before.child) / calls;
    const line = [
      `${inFlight} in flight`.padStart(14),
      `${Math.round(calls / seconds)} calls/s`.padStart(16),
      `p99 ${p99.toFixed(2)} ms`.padStart(14),
      `caller ${own.toFixed(1)} µs`.padStart(18),
      `server ${other.toFixed(1)} µs`.padStart(18),
    ];
    process.stdout.write(`${line.join("")}\n`);
  }
  await caller.close();
  child.disconnect();
}

await (process.argv[2] === "serve" ? serve() : measure());
