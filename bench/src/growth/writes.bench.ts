import { readManifests } from "@orch/e2e/harness/manifest-files.js";
import { createNaming } from "@orch/naming/naming.js";
import type { FakeRequest } from "@orch/service-gateway/testing/fake-exchange.js";
import { preciseCpuMicroseconds } from "../cpu.js";
import { configMap, nameOf } from "../runs.js";
import { applied, changes, changing, objects, type Sent } from "../writes/patches.js";
import { catalogOfEverything } from "./kinds.js";
import { type Server, startServer } from "./server.js";

/*
 * What a create and an update of a ConfigMap of 1 KiB and every way to change a Deployment of 2 KiB take of a processor, from
 * the gateway to the embedded store and the watch cache, without a network: a whole server's figures differ too much from run to
 * run to tell a tenth.
 */
const rounds = 80;
const each = 1000;
/** Of changes that take some four times as long. */
const changeRounds = 20;
const underWay = 32;
const path = `/api/v1/namespaces/${readManifests().namespace}/configmaps`;
const headers = { "content-type": "application/json" };

const naming = createNaming("kubernetes");
const server = await startServer(naming, catalogOfEverything(naming));
try {
  print("create", await measure(server, create, rounds));
  print("update", await measure(server, update, rounds));
  await ask(server, { method: "POST", target: "/api/v1/namespaces", headers, body: '{"metadata":{"name":"patches"}}' });
  for (const change of changes) {
    for (let i = 0; i < objects; i++) await ask(server, requestOf(applied(i, change.operation)));
    print(change.operation, await measure(server, (i) => requestOf(changing(change, i)), changeRounds));
  }
} finally {
  await server.stop();
}

function create(index: number): FakeRequest {
  return { method: "POST", target: path, headers, body: configMap(nameOf(index)) };
}

function update(index: number): FakeRequest {
  const name = nameOf(index % each);
  const body = configMap(name).replace('"data":{', `"data":{"at":"${index}",`);
  return { method: "PUT", target: `${path}/${name}`, headers, body };
}

function requestOf({ method, path, contentType, body }: Sent): FakeRequest {
  return { method, target: path, headers: { "content-type": contentType }, body };
}

/** Microseconds of a processor for each request, by `turns` rounds; the first half of them is not counted. */
async function measure(
  server: Server,
  request: (index: number) => FakeRequest,
  turns: number,
): Promise<readonly number[]> {
  const took: number[] = [];
  for (let round = 0; round < turns; round++) {
    const waiting = Array.from({ length: each }, (_, i) => request(round * each + i));
    const before = preciseCpuMicroseconds(process.pid);
    await Promise.all(Array.from({ length: underWay }, () => askAll(server, waiting)));
    took.push((preciseCpuMicroseconds(process.pid) - before) / each);
  }
  return took.slice(turns / 2).toSorted((a, b) => a - b);
}

async function askAll(server: Server, waiting: FakeRequest[]): Promise<void> {
  for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) await ask(server, request);
}

async function ask(server: Server, request: FakeRequest): Promise<void> {
  const { code, body } = await server.ask(request);
  if (code > 201) throw new Error(`${request.target} was answered with ${code}: ${body.toString()}`);
}

function print(what: string, sorted: readonly number[]): void {
  const [best = 0, median = 0] = [sorted[0], sorted[sorted.length >> 1]];
  process.stdout.write(
    `${what}: ${best.toFixed(1)} µs best, ${median.toFixed(1)} µs median of ${sorted.length} rounds\n`,
  );
}
