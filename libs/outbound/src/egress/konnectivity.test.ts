import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerHttp2Stream } from "node:http2";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { konnectivity as pb } from "../../generated/konnectivity.js";
import type { HostPort } from "../dial.js";
import { echo, listening, received } from "../testing/servers.js";
import { createEgress } from "./egress.js";

const folder = mkdtempSync(join(tmpdir(), "orch-tunnel-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const { PacketType } = pb;
type Packet = pb.Packet.$Properties;

/** A tunnel as its server sees it. */
interface Tunnel {
  readonly send: (packet: Packet) => void;
  readonly stream: ServerHttp2Stream;
}

function frame(packet: Packet): Buffer {
  const bytes = pb.Packet.encode(packet).finish();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** A konnectivity server that does with packets as it is told; what it got, by type. */
async function tunnelServer(t: TestContext, onPacket: (packet: Packet, tunnel: Tunnel) => void) {
  const got: string[] = [];
  const path = join(folder, `${Math.random()}.sock`);
  const server = createServer();
  server.on("stream", (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.on("error", () => {});
    stream.on("end", () => stream.end());
    let bytes = Buffer.alloc(0);
    stream.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) {
        const size = bytes.readUInt32BE(1);
        const packet = pb.Packet.decode(bytes.subarray(5, 5 + size));
        bytes = bytes.subarray(5 + size);
        got.push(PacketType[packet.type] ?? "");
        onPacket(packet, { stream, send: (answer) => void (stream.writable && stream.write(frame(answer))) });
      }
    });
  });
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => void open.add(socket));
  server.listen(path);
  await once(server, "listening");
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { path, got };
}

const connectId = 7;

/** Dials what it is asked for and carries bytes both ways. */
function carrier(): (packet: Packet, tunnel: Tunnel) => void {
  let upstream: Socket | undefined;
  return ({ type, dialRequest, data, closeRequest }, { send }) => {
    if (type === PacketType.DIAL_REQ) {
      const [host = "", port] = (dialRequest?.address ?? "").split(":");
      const random = dialRequest?.random ?? 0;
      upstream = connect({ host, port: Number(port) }, () =>
        send({ type: PacketType.DIAL_RSP, dialResponse: { random, connectId } }),
      );
      upstream.on("data", (chunk: Buffer) => send({ type: PacketType.DATA, data: { connectId, data: chunk } }));
      upstream.on("error", () => {});
      upstream.on("end", () => send({ type: PacketType.CLOSE_RSP, closeResponse: { connectId } }));
    } else if (type === PacketType.DATA) upstream?.write(data?.data ?? "");
    else if (closeRequest !== undefined && closeRequest !== null) {
      upstream?.destroy();
      send({ type: PacketType.CLOSE_RSP, closeResponse: { connectId } });
    }
  };
}

function dialler(socketPath: string) {
  const told: string[] = [];
  const egress = createEgress(new Map([["cluster", { protocol: "GRPC", socketPath }]]), {
    monotonic: () => performance.now(),
    observer: {
      started: ({ protocol, transport }) => void told.push(`start ${protocol}/${transport}`),
      dialed: () => void told.push("dialed"),
      failed: (_, stage) => void told.push(`failed ${stage}`),
    },
  });
  const dial = (to: HostPort, ms = 5_000) => egress.dial("cluster")(to, AbortSignal.timeout(ms));
  return { dial, told };
}

test("bytes go both ways through a tunnel, however many", async (t) => {
  const { path, got } = await tunnelServer(t, carrier());
  const { dial, told } = dialler(path);
  const socket = await dial(await echo(t));
  const sent = Buffer.alloc(5 << 20, "orch");
  const back = received(socket, sent.length);
  socket.write(sent);
  assert.equal(await back, sent.toString());
  socket.end();
  await once(socket, "close");
  assert.equal(got[0], "DIAL_REQ");
  assert.equal(got.at(-1), "CLOSE_REQ");
  assert.deepEqual(told, ["start grpc/uds", "dialed"]);
});

test("the other side may end the connection", async (t) => {
  const { path } = await tunnelServer(t, carrier());
  const target = await listening(
    t,
    createTcpServer((socket) => void socket.end("bye")),
  );
  const socket = await dialler(path).dial(target);
  let text = "";
  socket.on("data", (chunk) => {
    text += String(chunk);
  });
  await once(socket, "end");
  assert.equal(text, "bye");
});

test("who does not read holds the server back", async (t) => {
  let taken = 0;
  const part = Buffer.alloc(64 << 10);
  const total = 24 << 20;
  const { path } = await tunnelServer(t, (packet, { send, stream }) => {
    if (packet.type !== PacketType.DIAL_REQ) return;
    send({ type: PacketType.DIAL_RSP, dialResponse: { random: packet.dialRequest?.random ?? 0, connectId } });
    const next = (): void => {
      if (taken >= total || stream.destroyed) return;
      stream.write(frame({ type: PacketType.DATA, data: { connectId, data: part } }), () => {
        taken += part.length;
        next();
      });
    };
    next();
  });
  const socket = await dialler(path).dial({ host: "a", port: 1 });
  let before = -1;
  while (before !== taken || taken === 0) {
    before = taken;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(taken < 8 << 20, String(taken));
  assert.equal((await received(socket, total)).length, total);
  socket.destroy();
});

const answered =
  (answer: (random: pb.DialRequest.$Properties["random"]) => Packet) =>
  (packet: Packet, { send }: Tunnel): void => {
    if (packet.type === PacketType.DIAL_REQ) send(answer(packet.dialRequest?.random));
  };

const failing: readonly (readonly [string, (packet: Packet, tunnel: Tunnel) => void, RegExp])[] = [
  [
    "cannot reach the address",
    answered((random) => ({
      type: PacketType.DIAL_RSP,
      dialResponse: { random: random ?? 0, error: "connection refused" },
    })),
    /^connection refused$/,
  ],
  [
    "gives no connection",
    answered((random) => ({ type: PacketType.DIAL_RSP, dialResponse: { random: random ?? 0 } })),
    /^the proxy answered without a connection$/,
  ],
  [
    "takes the dial back",
    answered((random) => ({ type: PacketType.DIAL_CLS, closeDial: { random: random ?? 0 } })),
    /^dial closed$/,
  ],
  ["ends the tunnel", (_, { stream }) => stream.end(), /^the tunnel was cut$/],
  ["breaks the tunnel", (_, { stream }) => stream.session?.destroy(), /./],
  ["sends garbage", (_, { stream }) => void stream.write("hello, world"), /no message of its protocol/],
  ["refuses the call", (_, { stream }) => stream.close(7), /./],
];
for (const [what, onPacket, message] of failing) {
  test(`a tunnel whose server ${what} is an error`, async (t) => {
    const { path } = await tunnelServer(t, onPacket);
    const { dial, told } = dialler(path);
    await assert.rejects(dial({ host: "a", port: 1 }), (error) => {
      assert.match(error instanceof Error ? error.message : "", message);
      return true;
    });
    assert.deepEqual(told, ["start grpc/uds", "failed proxy"]);
  });
}

test("a dial that nobody answers is taken back", async (t) => {
  let take = (): void => {};
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  const { path } = await tunnelServer(t, ({ type }) => {
    if (type === PacketType.DIAL_CLS) take();
  });
  const { dial } = dialler(path);
  await assert.rejects(dial({ host: "a", port: 1 }, 100), { name: "TimeoutError" });
  await taken;
});

test("what listens there may speak no HTTP/2", async (t) => {
  const path = join(folder, "plain.sock");
  await listening(
    t,
    createTcpServer((socket) => void socket.end("hello")),
    path,
  );
  const { dial, told } = dialler(path);
  await assert.rejects(dial({ host: "a", port: 1 }));
  assert.deepEqual(told, ["start grpc/uds", "failed proxy"]);
  const nobody = dialler(join(folder, "nobody.sock"));
  await assert.rejects(nobody.dial({ host: "a", port: 1 }), { code: "ENOENT" });
  assert.deepEqual(nobody.told, ["start grpc/uds", "failed connect"]);
});

test("a tunnel that breaks ends its connection with an error", async (t) => {
  const { path } = await tunnelServer(t, (packet, { send, stream }) => {
    if (packet.type === PacketType.DIAL_REQ) {
      send({ type: PacketType.DIAL_RSP, dialResponse: { random: packet.dialRequest?.random ?? 0, connectId } });
    } else stream.session?.destroy();
  });
  const socket = await dialler(path).dial({ host: "a", port: 1 });
  socket.write("x");
  const [error] = await once(socket, "error");
  assert.equal(error.code, "ECONNRESET");
});
