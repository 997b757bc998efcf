import assert from "node:assert/strict";
import { get } from "node:https";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { issueAuthority, issueServing } from "@orch/pki/certificates.js";
import { createHttpServer } from "@orch/service-gateway/http/server.js";
import { fixedTls } from "@orch/service-gateway/tls/material.js";

const now = Date.now();
const authority = await issueAuthority("cluster-ca", now);
const pair = await issueServing(authority, ["localhost"], now);

interface Options {
  readonly requestTimeoutMs?: number;
  readonly idleMs?: number;
}

/** A server that reads bodies, and how its requests ended. */
async function serving(t: TestContext, { requestTimeoutMs = 5_000, idleMs = 5_000 }: Options = {}) {
  const bodies: string[] = [];
  let requests = 0;
  const tls = fixedTls({ cert: pair.certificate, key: pair.key, clientCa: undefined });
  const server = createHttpServer(
    { bindAddress: "127.0.0.1", port: 0, requestTimeoutMs, idleMs, http2MaxStreams: 100, tokenProtocol: "x.", tls },
    {
      newId: () => "id",
      serve: ({ request, response }) => {
        requests++;
        if (request.path === "/early") {
          response.send(403, [], "no");
          return;
        }
        request.body(1024 * 1024).then(
          (body) => {
            bodies.push(`${body.length} bytes`);
            response.send(200, [], "ok");
          },
          (error: Error) => void bodies.push(error.message),
        );
      },
    },
  );
  const port = await server.listen();
  t.after(() => server.close(0));
  const answers = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get({ port, host: "127.0.0.1", ca: authority.certificate, servername: "localhost", agent: false }, (response) => {
        resolve(response.resume().statusCode);
      }).on("error", reject);
    });
  return { port, answers, bodies, requests: () => requests };
}

const types = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, window: 8, continuation: 9 } as const;

function frame(
  type: number,
  more: { readonly flags?: number; readonly stream?: number; readonly payload?: Buffer } = {},
): Buffer {
  const { flags = 0, stream = 0, payload = Buffer.alloc(0) } = more;
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
// :method POST, :scheme https, :path and :authority.
const head = (path = "/x"): Buffer =>
  Buffer.concat([Buffer.from([0x83, 0x87]), literal(":path", path), literal(":authority", "localhost")]);
const endHeaders = 4;
const request = (stream: number, path?: string): Buffer =>
  frame(types.headers, { flags: endHeaders, stream, payload: head(path) });

/** A client that sends what it likes. */
async function dial(t: TestContext, port: number): Promise<TLSSocket> {
  const options = {
    port,
    host: "127.0.0.1",
    ca: authority.certificate,
    servername: "localhost",
    ALPNProtocols: ["h2"],
  };
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const dialled: TLSSocket = connect(options, () => resolve(dialled)).on("error", reject);
  });
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.resume();
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(types.settings)]));
  return socket;
}

const gone = (socket: TLSSocket): Promise<unknown> =>
  socket.destroyed ? Promise.resolve() : new Promise((resolve) => socket.once("close", resolve));

/** Sends pieces for as long as they are taken; the connection is to end before they do. */
async function flood(socket: TLSSocket, piece: (i: number) => Buffer, most: number): Promise<void> {
  let ended = false;
  const over = gone(socket).then(() => {
    ended = true;
  });
  for (let i = 0; i < most && !ended; i++) {
    const taken = socket.write(piece(i));
    if (!taken) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), over]);
    else if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.race([over, pause(5_000)]);
  assert.ok(ended, "the connection is still there");
}

const times = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes));
const ping = frame(types.ping, { payload: Buffer.alloc(8) });
const settings = frame(types.settings, { payload: Buffer.from([0, 4, 0, 1, 0, 0]) });

const floods: ReadonlyArray<readonly [title: string, first: Buffer, piece: (i: number) => Buffer]> = [
  [
    "CVE-2023-44487: streams that are opened to be reset",
    Buffer.alloc(0),
    (i) =>
      Buffer.concat(
        Array.from({ length: 50 }, (_, k) => {
          const stream = 2 * (50 * i + k) + 1;
          return Buffer.concat([request(stream), frame(types.reset, { stream, payload: Buffer.from([0, 0, 0, 8]) })]);
        }),
      ),
  ],
  [
    "CVE-2024-27983: a head of endless continuations",
    frame(types.headers, { stream: 1, payload: head() }),
    (i) => frame(types.continuation, { stream: 1, payload: literal(`x-${i % 100}`, "y".repeat(100)) }),
  ],
  [
    "CVE-2024-28182: a head of endless empty continuations",
    frame(types.headers, { stream: 1, payload: head() }),
    () => times(100, frame(types.continuation, { stream: 1 })),
  ],
  ["CVE-2019-9518: a body of endless empty frames", request(1), () => times(100, frame(types.data, { stream: 1 }))],
];
for (const [title, first, piece] of floods) {
  test(`a connection ends: ${title}`, async (t) => {
    // What has told a client to go and reads it no more ends as one that asks nothing.
    const { port, answers, requests } = await serving(t, { idleMs: 500 });
    const socket = await dial(t, port);
    socket.write(first);
    const before = process.memoryUsage().rss;
    await flood(socket, piece, 20_000);
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < 100 * 1024 * 1024, `${grown} bytes`);
    assert.ok(requests() < 5_000, `${requests()} requests were served`);
    assert.equal(await answers(), 200);
  });
}

for (const [title, piece] of [
  ["CVE-2019-9512: pings whose answers are not read", times(200, ping)],
  ["CVE-2019-9515: settings whose answers are not read", times(200, settings)],
] as const) {
  test(`a connection ends: ${title}`, async (t) => {
    const { port, answers } = await serving(t);
    const socket = await dial(t, port);
    socket.pause();
    const before = process.memoryUsage().rss;
    await flood(socket, () => piece, 50_000);
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < 100 * 1024 * 1024, `${grown} bytes`);
    assert.equal(await answers(), 200);
  });
}

test("a connection without requests ends, whatever else is said on it", async (t) => {
  const { port, requests } = await serving(t, { idleMs: 300 });
  const pinging = await dial(t, port);
  const timer = setInterval(() => pinging.write(ping), 50);
  t.after(() => clearInterval(timer));
  const trickling = await dial(t, port);
  trickling.write(frame(types.headers, { stream: 1, payload: head() }));
  const slow = setInterval(() => trickling.write(frame(types.continuation, { stream: 1 })), 100);
  t.after(() => clearInterval(slow));
  await Promise.all([gone(pinging), gone(trickling)]);
  assert.equal(requests(), 0);
});

test("a connection with a request under way does not, and goes on after it", async (t) => {
  const { port, bodies } = await serving(t, { idleMs: 200 });
  const socket = await dial(t, port);
  socket.write(request(1));
  await pause(400);
  socket.write(frame(types.data, { flags: 1, stream: 1, payload: Buffer.from("late") }));
  await pause(50);
  socket.write(Buffer.concat([request(3), frame(types.data, { flags: 1, stream: 3 })]));
  await gone(socket);
  assert.deepEqual(bodies, ["4 bytes", "0 bytes"]);
});

test("a body that trickles ends, and its connection serves on", async (t) => {
  const { port, bodies } = await serving(t, { requestTimeoutMs: 300 });
  const socket = await dial(t, port);
  socket.write(request(1));
  const timer = setInterval(() => socket.write(frame(types.data, { stream: 1, payload: Buffer.from("x") })), 50);
  t.after(() => clearInterval(timer));
  while (bodies.length === 0) await pause(20);
  clearInterval(timer);
  socket.write(Buffer.concat([request(3), frame(types.data, { flags: 1, stream: 3, payload: Buffer.from("abc") })]));
  while (bodies.length < 2) await pause(20);
  assert.deepEqual(bodies, ["the request's body ended early", "3 bytes"]);
});

for (const [name, code] of [
  ["NO_ERROR", 0],
  ["CANCEL", 8],
  ["INTERNAL_ERROR", 2],
] as const) {
  test(`a body whose stream is taken back with ${name} is not whole`, async (t) => {
    const { port, bodies } = await serving(t);
    const socket = await dial(t, port);
    const half = frame(types.data, { stream: 1, payload: Buffer.from("half") });
    const reset = frame(types.reset, { stream: 1, payload: Buffer.from([0, 0, 0, code]) });
    socket.write(Buffer.concat([request(1), half]));
    await pause(50);
    socket.write(reset);
    // In one turn, too.
    const third = [request(3), frame(types.data, { stream: 3, payload: Buffer.from("half") })];
    socket.write(Buffer.concat([...third, frame(types.reset, { stream: 3, payload: Buffer.from([0, 0, 0, code]) })]));
    while (bodies.length < 2) await pause(10);
    assert.deepEqual(bodies, ["the request's body ended early", "the request's body ended early"]);
  });
}
