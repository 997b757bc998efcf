/**
 * What a question to a webhook costs this process: `node libs/outbound/dist/caller.bench.js`. Prints µs of CPU for one, with 32
 * under way, the best of some rounds; beside it what a bare `request` of undici costs. The webhook is a process of its own.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { issueAuthority, issueServing } from "@orch/pki/certificates.js";
import { Agent, request } from "undici";
import { createOutboundCaller } from "./caller.js";
import { dialDirectly } from "./dial.js";

const width = 32;
const questions = 1500;
const rounds = 12;
const answer = JSON.stringify({ response: { uid: "u".repeat(36), allowed: true }, kind: "AdmissionReview" });

async function serve(): Promise<void> {
  const now = Date.now();
  const authority = await issueAuthority("bench", now);
  const { certificate, key } = await issueServing(authority, ["127.0.0.1"], now);
  const server = createServer({ cert: certificate, key }, (asked, response) => {
    asked.resume();
    asked.on("end", () => response.setHeader("content-type", "application/json").end(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send?.({ port: (server.address() as AddressInfo).port, ca: authority.certificate });
}

async function micros(ask: () => Promise<unknown>): Promise<number> {
  const round = async (): Promise<number> => {
    let left = questions;
    const since = process.cpuUsage();
    const one = async (): Promise<void> => {
      while (left-- > 0) await ask();
    };
    await Promise.all(Array.from({ length: width }, one));
    const { user, system } = process.cpuUsage(since);
    return (user + system) / questions;
  };
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i++) best = Math.min(best, await round());
  return best;
}

async function bench(): Promise<void> {
  const child = fork(new URL(import.meta.url), ["serve"]);
  const [told]: { readonly port: number; readonly ca: string }[] = await once(child, "message");
  if (told === undefined) throw new Error("the webhook did not say where it is");
  const { port, ca } = told;
  const url = `https://127.0.0.1:${port}/hook`;
  const body = Buffer.from(JSON.stringify({ request: { object: "x".repeat(1500) } }));
  const caller = createOutboundCaller({
    ...{ dial: { url: dialDirectly, service: dialDirectly }, userAgent: "bench" },
    resolve: () => Promise.reject(new Error("no Service is asked here")),
  });
  const to = { endpoint: { type: "url", url }, ca } as const;
  const nothing = {};
  const credentialsOf = (): object => nothing;
  const asked = { to, body, timeoutMs: 10_000, tellTimeout: true, maxAnswerBytes: 1 << 20, credentialsOf };
  const agent = new Agent({ connect: { ca }, connections: 64, pipelining: 1 });
  const headers = { accept: "application/json, */*", "content-type": "application/json" };
  const bare = async (): Promise<unknown> =>
    (await request(url, { dispatcher: agent, method: "POST", headers, body })).body.text();
  const ours = await micros(() => caller.post(asked));
  const floor = await micros(bare);
  process.stdout.write(`a question: ${ours.toFixed(0)} µs of CPU; bare undici: ${floor.toFixed(0)} µs\n`);
  await caller.close();
  await agent.destroy();
  child.kill();
}

await (process.argv.includes("serve") ? serve() : bench());
