import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:https";
import { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import { constants, createDeflate } from "node:zlib";
import { createNaming } from "@orch/naming/naming.js";
import { issueAuthority, issueClient, issueServing } from "@orch/pki/certificates.js";
import { systemClock } from "@orch/status/clock.js";
import { WebSocket } from "ws";
import { createAgent } from "./agent.js";
import type { AgentPod } from "./agent-pods.js";
import { firstLine, linesAt, logLine } from "./log-lines.js";
import { serveSpdy } from "./spdy.js";
import { spdyDictionary } from "./spdy-dictionary.js";

const source = { name: "ns/p/c", sinceMs: Date.UTC(2025, 0, 2, 3, 4, 5) };

test("a log has a line a second, and what is asked for decides where it begins", () => {
  assert.equal(linesAt(source, source.sinceMs - 1), 0);
  assert.equal(linesAt(source, source.sinceMs), 1);
  assert.equal(linesAt(source, source.sinceMs + 2_500), 3);
  const first = (lines: number, query: { sinceMs?: number; tail?: number } = {}): number =>
    firstLine(source, lines, { timestamps: false, sinceMs: query.sinceMs, tail: query.tail });
  assert.deepEqual([first(10), first(10, { tail: 3 }), first(10, { tail: 0 }), first(2, { tail: 5 })], [0, 7, 10, 0]);
  assert.equal(first(10, { sinceMs: source.sinceMs + 4_001 }), 5);
  assert.equal(first(10, { sinceMs: source.sinceMs + 99_000 }), 10);
  assert.equal(first(10_000), 6_400, "the last hour");
  assert.equal(logLine(source, 2, { timestamps: true }), "2025-01-02T03:04:07.000000000Z ns/p/c: second 2\n");
});

const now = Date.now();
const authority = await issueAuthority("clients", now);
const stranger = await issueAuthority("strangers", now);
const { certificate: cert, key } = await issueServing(authority, ["127.0.0.1"], now);

const pod: AgentPod = {
  ...{ namespace: "ns", name: "p", uid: "u", node: "n", containers: ["c"], restarts: 0, execExitCode: 5 },
  runningSinceMs: now - 3_000,
};

async function setup(t: TestContext, of: AgentPod = pod) {
  const clock = { ...systemClock, now: () => now };
  const pods = {
    find: (namespace: string, name: string) => (namespace === of.namespace && name === of.name ? of : undefined),
    all: () => [of],
  };
  const naming = createNaming("kubernetes");
  const agent = createAgent(
    { address: "127.0.0.1", port: 0, cert, key, clientCa: authority.certificate },
    { pods, naming, clock },
  );
  const port = await agent.start();
  t.after(() => agent.stop());
  const known = await issueClient(authority, { name: "gateway" }, now);
  const unknown = await issueClient(stranger, { name: "gateway" }, now);
  const tls = (pair = known) => ({ ca: authority.certificate, cert: pair.certificate, key: pair.key });
  const ask = (path: string, pair = known): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ host: "127.0.0.1", port, path, agent: false, ...tls(pair) })
        .once("error", reject)
        .once("response", async (message) => {
          resolve(`${message.statusCode} ${Buffer.concat(await message.toArray())}`);
        })
        .end();
    });
  const dial = (path: string, protocols: string[]) => new WebSocket(`wss://127.0.0.1:${port}${path}`, protocols, tls());
  return { ask, dial, unknown };
}

test("logs are answered to who shows a certificate of the clients' authority", async (t) => {
  const { ask, unknown } = await setup(t);
  const path = "/containerLogs/ns/p/c";
  assert.equal(await ask(path, unknown), "401 Unauthorized");
  assert.equal((await ask(path)).split("\n").length, 5);
  assert.equal(await ask(`${path}?tailLines=1&limitBytes=9`), "200 ns/p/c: s");
  assert.match(await ask(`${path}?previous=true`), /^400 previous terminated container "c" in pod "p" not found$/);
  assert.match(await ask("/containerLogs/ns/x/c"), /^404 pod "x" not found$/);
  assert.match(await ask("/containerLogs/ns/p/x"), /^404 container x not found in pod p$/);
  assert.match(await ask("/containerLogs/ns/p/c/d"), /^404 /);
  assert.equal(await ask("/healthz"), "200 ok");
  assert.match(await ask("/pods"), /"nodeName":"n"/);
});

test("a pod whose containers do not run has no log yet", async (t) => {
  const { ask } = await setup(t, { ...pod, runningSinceMs: undefined });
  assert.match(await ask("/containerLogs/ns/p/c"), /^400 container "c" in pod "p" is waiting to start/);
});

for (const protocol of ["v5.channel.k8s.io", "v4.channel.k8s.io"]) {
  test(`a command gives its input back and ends with the pod's code, by ${protocol}`, async (t) => {
    const { dial } = await setup(t);
    const socket = dial("/exec/ns/p/c?command=cat&input=1&output=1", ["x", protocol]);
    const came: string[] = [];
    socket.on("message", (data: Buffer) => came.push(`${data[0]}:${data.subarray(1)}`));
    await once(socket, "open");
    assert.equal(socket.protocol, protocol);
    socket.send(Buffer.from("\x00hello"));
    socket.send(protocol.startsWith("v5") ? Buffer.of(255, 0) : Buffer.of(0, 4));
    await once(socket, "close");
    assert.match(came.join("\n"), /^1:simulated: nothing runs in c of ns\/p on n; not done: cat\n\n1:hello\n/);
    assert.match(came.at(-1) ?? "", /^3:.*"reason":"NonZeroExitCode".*"message":"5"/);
  });
}

test("what is no WebSocket of a known protocol is refused", async (t) => {
  const { dial } = await setup(t);
  for (const [path, protocols, code] of [
    ["/exec/ns/p/c", ["v9.channel.k8s.io"], 400],
    ["/exec/ns/x/c", ["v5.channel.k8s.io"], 404],
    ["/portForward/ns/p", ["v5.channel.k8s.io"], 404],
  ] as const) {
    const socket = dial(path, [...protocols]);
    socket.on("error", () => {});
    const [, message]: [unknown, { readonly statusCode: number }] = await new Promise((resolve) => {
      socket.once("unexpected-response", (asked, answer) => resolve([asked, { statusCode: answer.statusCode ?? 0 }]));
    });
    assert.equal(message.statusCode, code, path);
  }
});

/** A connection of SPDY of which the test is the client. */
function spdy() {
  const out: Buffer[] = [];
  const connection = new Duplex({
    read() {},
    write(part: Buffer, _encoding, done) {
      out.push(part);
      done();
    },
  });
  connection.on("error", () => {});
  const seen: string[] = [];
  serveSpdy(connection, Buffer.alloc(0), {
    opened: (stream, headers) => void seen.push(`${stream} ${[...headers].flat().join(" ")}`),
    data: (stream, part, last) => void seen.push(`${stream} ${part} ${last}`),
  });
  return { connection, out, seen };
}

const frameOf = (first: number, flags: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(first, 0);
  head.writeUInt32BE(((flags << 24) | payload.length) >>> 0, 4);
  return Buffer.concat([head, payload]);
};

async function openingOf(stream: number, block: Buffer): Promise<Buffer> {
  const deflate = createDeflate({ dictionary: spdyDictionary(), flush: constants.Z_SYNC_FLUSH });
  deflate.write(block);
  const [first] = await once(deflate, "data");
  const parts = [first, deflate.read()].filter((part) => part !== null);
  const ids = Buffer.alloc(10);
  ids.writeUInt32BE(stream);
  return frameOf(0x8003_0001, 0, Buffer.concat([ids, ...parts]));
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test("streams of SPDY open with headers, carry bytes, and pings come back", async () => {
  const { connection, out, seen } = spdy();
  const block = Buffer.from("\0\0\0\x01\0\0\0\x04port\0\0\0\x0280");
  const bytes = Buffer.concat([
    await openingOf(1, block),
    frameOf(1, 0, Buffer.from("a")),
    frameOf(0x8003_0006, 0, Buffer.from([0, 0, 0, 7])),
    frameOf(1, 1, Buffer.alloc(0)),
  ]);
  for (const byte of bytes) connection.push(Buffer.of(byte));
  await settled();
  assert.deepEqual(seen, ["1 port 80", "1 a false", "1  true"]);
  assert.deepEqual(out.at(-1), frameOf(0x8003_0006, 0, Buffer.from([0, 0, 0, 7])));
});

test("what is no SPDY ends its connection and nothing else", async () => {
  const lying = Buffer.from("\xff\xff\xff\xff\0\0\0\x04port", "latin1");
  for (const bytes of [
    Buffer.alloc(64, 0xff),
    frameOf(0x8003_0001, 0, Buffer.alloc(40, 0x11)),
    frameOf(0x8003_0001, 0, Buffer.alloc(100_000, 0x11)),
    await openingOf(1, lying),
  ]) {
    const { connection, seen } = spdy();
    connection.push(bytes);
    connection.push(frameOf(0x8003_0001, 0, Buffer.alloc(40, 0x11)));
    await settled();
    assert.equal(connection.destroyed, true, bytes.toString("hex").slice(0, 40));
    assert.deepEqual(seen, []);
  }
});
