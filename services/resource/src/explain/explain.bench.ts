import type { WriteRequest } from "@orch/rpc/messages.js";
import { openBed } from "../testing/bed.js";

// What the dry run of a create costs without an explanation, with one, and without one after there were some, in µs of CPU of this
// process: node services/resource/dist/explain/explain.bench.js

const object = { metadata: { name: "a", labels: { a: "b" } }, data: { k: "x".repeat(700) } };
const plain: Partial<WriteRequest> = { options: { dryRun: "All" } };
const explained: Partial<WriteRequest> = { ...plain, explain: { reason: "", mayRead: true } };
const rounds = 20;
const creates = 1000;

const ends: (() => Promise<void>)[] = [];
const { write } = await (await openBed({ after: (end) => ends.push(end) }, "orch")).start();

async function round(request: Partial<WriteRequest>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < creates; i++) await write(request, object);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / creates;
}

async function tell(what: string, request: Partial<WriteRequest>): Promise<void> {
  const all: number[] = [];
  for (let i = 0; i < rounds; i++) all.push(await round(request));
  const sorted = all.sort((a, b) => a - b);
  process.stdout.write(`${what}: least ${sorted[0]?.toFixed(1)} µs, middle ${sorted[rounds / 2]?.toFixed(1)} µs\n`);
}

// The first are compiled as they run.
for (let i = 0; i < 5; i++) await round(plain);
await tell("plain", plain);
await tell("explained", explained);
await tell("plain after explanations", plain);
for (const end of ends) await end();
