import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Client, credentials, Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import type { Resolve } from "./addresses.js";
import { helloPayload, readHello } from "./link/frame-payloads.js";
import { frameSize, kinds, outFrame, readBatch, writeFrame } from "./link/frames.js";
import { connect } from "./link/grpc-client.js";
import { linkMethod } from "./link/grpc-link.js";
import { createGrpcServer, type GrpcServer } from "./link/grpc-server.js";
import type { RpcLog } from "./log.js";
import type { Sender } from "./rpc.js";
import { createTcpProxy } from "./tcp-proxy.suite.js";
import { type Body, echo, feed, hasReason, inbox, once, promised, text, ticks, until } from "./transport.suite.js";

const cleanups: Array<() => Promise<void>> = [];
after(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

async function listening(name: string): Promise<{ readonly server: GrpcServer; readonly port: number }> {
  const server = createGrpcServer({ host: "127.0.0.1", port: 0 });
  const port = await server.listen();
  cleanups.push(() => server.close(0));
  server.services.unary(echo, () => text(name));
  return { server, port };
}

function calling(target: string, more: { resolve?: Resolve; log?: RpcLog; waitForPeerMs?: number } = {}) {
  const caller = connect({ target, ...more });
  cleanups.push(() => caller.close());
  return caller;
}

async function proxied(name: string) {
  const { server, port } = await listening(name);
  const proxy = await createTcpProxy(port);
  cleanups.push(() => proxy.close());
  const caller = calling(`127.0.0.1:${proxy.port}`);
  await until(() => caller.ready);
  return { server, proxy, caller };
}

describe("a lost connection", () => {
  test("leaves a call that was sent with an unknown outcome, repeats an idempotent one, ends streams", async () => {
    const { server, proxy, caller } = await proxied("a");
    const cancelled: string[] = [];
    let tries = 0;
    server.services.unary(once, (_request, call) => {
      call.onCancel(() => cancelled.push("call"));
      return new Promise(() => {});
    });
    server.services.unary({ ...echo, name: "test/Again" }, () =>
      tries++ === 0 ? new Promise<Body>(() => {}) : text("again"),
    );
    server.services.stream(feed, (_request, sender) => {
      sender.onCancel(() => cancelled.push("stream"));
      sender.send(text("one"));
    });
    const received = inbox();
    caller.open(feed, text(""), received);
    const unknown = assert.rejects(caller.call(once, text("")), (error: unknown) => {
      assert.ok(hasReason("Timeout")(error) && error instanceof Error);
      assert.match(error.message, /may or may not/);
      return true;
    });
    const repeated = caller.call({ ...echo, name: "test/Again" }, text(""), { deadlineMs: 10_000 });
    await until(() => tries === 1 && received.texts.length === 1);
    proxy.cut();
    await unknown;
    assert.deepEqual(await repeated, text("again"));
    assert.equal((await received.ended)?.reason, "ServiceUnavailable");
    await until(() => cancelled.length === 2);
    assert.deepEqual(cancelled.sort(), ["call", "stream"]);
    assert.deepEqual(await caller.call(echo, text("")), text("a"), "it has reconnected");
  });

  test("fails what was not sent as ServiceUnavailable, after a wait for a peer", async () => {
    const { proxy, caller } = await proxied("a");
    proxy.refuse(true);
    proxy.cut();
    await until(() => !caller.ready);
    const impatient = calling(`127.0.0.1:${proxy.port}`, { waitForPeerMs: 50 });
    await assert.rejects(impatient.call(once, text("")), hasReason("ServiceUnavailable"));
    const received = inbox();
    impatient.open(feed, text(""), received);
    assert.equal((await received.ended)?.reason, "ServiceUnavailable");
    await assert.rejects(caller.call(once, text(""), { deadlineMs: 30 }), hasReason("Timeout"));
    const patient = caller.call(echo, text(""));
    proxy.refuse(false);
    assert.deepEqual(await patient, text("a"), "a call that waited is answered when the peer is back");
  });

  test("is no loss under load: with two peers every idempotent call is answered", async () => {
    const first = await proxied("first");
    const second = await listening("second");
    const caller = calling(`127.0.0.1:${first.proxy.port},127.0.0.1:${second.port}`);
    await until(() => caller.ready);
    const answers = new Set<string>();
    const worker = async (): Promise<void> => {
      for (let i = 0; i < 300; i++) {
        answers.add((await caller.call(echo, text(""), { deadlineMs: 10_000 })).body.toString());
        if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    const work = Promise.all(Array.from({ length: 20 }, worker));
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setTimeout(resolve, 15));
      first.proxy.cut();
    }
    await work;
    assert.deepEqual([...answers].sort(), ["first", "second"]);
  });
});

describe("a server that shuts down", () => {
  test("finishes its calls, and no call of any kind fails while another peer serves", async () => {
    const servers = [await listening("a"), await listening("b")];
    for (const { server } of servers) {
      server.services.unary(once, async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 3));
        return request;
      });
    }
    const caller = calling(servers.map(({ port }) => `127.0.0.1:${port}`).join(","));
    await until(() => caller.ready);
    await ticks();
    const worker = async (): Promise<void> => {
      for (let i = 0; i < 60; i++) assert.deepEqual(await caller.call(once, text("x")), text("x"));
    };
    const work = Promise.all(Array.from({ length: 30 }, worker));
    await new Promise((resolve) => setTimeout(resolve, 40));
    await servers[0]?.server.close(5_000);
    await work;
  });

  test("ends the streams that outlast its patience as ServiceUnavailable", async () => {
    const { server, port } = await listening("a");
    const cancelled = promised<void>();
    server.services.stream(feed, (_request, sender) => {
      sender.onCancel(() => cancelled.resolve());
      sender.send(text("one"));
    });
    const caller = calling(`127.0.0.1:${port}`);
    const received = inbox();
    caller.open(feed, text(""), received);
    await until(() => received.texts.length === 1);
    await server.close(20);
    assert.equal((await received.ended)?.reason, "ServiceUnavailable");
    await cancelled.promise;
  });
});

describe("many calls on one connection", () => {
  test("10,000 answers from 0 to 3 MiB each reach their own call", async () => {
    const { server, port } = await listening("a");
    const biggest = Buffer.alloc(3 * 1024 * 1024);
    for (let i = 0; i < biggest.length; i++) biggest[i] = i % 251;
    server.services.unary(once, async (request) => {
      const [size = 0, wait = 0] = request.body.toString().split(" ").map(Number);
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      return { body: biggest.subarray(biggest.length - size) };
    });
    const caller = calling(`127.0.0.1:${port}`);
    await until(() => caller.ready);
    let left = 10_000;
    let seed = 42;
    const random = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        // Mostly small, some of megabytes, and an empty one now and then.
        const size = left % 500 === 0 ? biggest.length : Math.floor(biggest.length * random() ** 60);
        const { body } = await caller.call(once, text(`${size} ${Math.floor(random() * 4)}`));
        assert.equal(body.length, size);
        assert.ok(body.equals(biggest.subarray(biggest.length - size)));
      }
    };
    await Promise.all(Array.from({ length: 200 }, worker));
  });

  test("a message to 100 streams crosses the connection once", async () => {
    const { server, proxy, caller } = await proxied("a");
    const senders: Array<Sender<Body>> = [];
    server.services.stream(feed, (_request, sender) => {
      senders.push(sender);
    });
    const inboxes = Array.from({ length: 100 }, () => inbox());
    for (const received of inboxes) caller.open(feed, text(""), received);
    await until(() => senders.length === 100);
    const before = proxy.received;
    const message = { body: Buffer.alloc(100_000, 1) };
    for (const sender of senders) sender.send(message);
    for (const sender of senders) sender.end();
    await Promise.all(inboxes.map((received) => received.ended));
    assert.ok(inboxes.every((received) => received.bytes === message.body.length));
    assert.ok(proxy.received - before < 150_000, `${proxy.received - before} bytes crossed`);
  });
});

describe("names", () => {
  test("an instance that leaves the name service gets no further calls", async () => {
    const ports = [await listening("a")];
    let known: readonly string[] = ["127.0.0.1"];
    const port = ports[0]?.port;
    const caller = calling(`dns:service.test:${port}`, { resolve: async () => known });
    await until(() => caller.ready);
    assert.deepEqual(await caller.call(echo, text("")), text("a"));
    known = [];
    await ports[0]?.server.close(0);
    await until(() => !caller.ready);
  });

  test("a name that cannot be resolved yet is tried again", async () => {
    const { port } = await listening("a");
    let attempts = 0;
    const resolve: Resolve = async () => {
      if (attempts++ === 0) throw new Error("no such name");
      return ["127.0.0.1"];
    };
    const caller = calling(`service.test:${port}`, { resolve, waitForPeerMs: 10_000 });
    assert.deepEqual(await caller.call(echo, text("")), text("a"));
  });
});

const batchOf = (...frames: Array<ReturnType<typeof outFrame>>): Buffer => {
  const batch = Buffer.alloc(frames.reduce((sum, frame) => sum + frameSize(frame), 0));
  frames.reduce((at, frame) => writeFrame(frame, batch, at), 0);
  return batch;
};

/** A bare gRPC client that sends what it likes; resolves with what came back. */
async function rawExchange(port: number, batches: readonly Buffer[]): Promise<{ frames: string[]; error: string }> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const wire = client.makeBidiStreamRequest(
    linkMethod.path,
    linkMethod.requestSerialize,
    linkMethod.responseDeserialize,
  );
  const frames: string[] = [];
  const ended = promised<string>();
  wire.on("data", (batch: Buffer) =>
    readBatch(batch, ({ kind, payload }) => {
      frames.push(kind === kinds.reject ? readHello(payload).message : `kind ${kind}`);
      if (kind === kinds.reject) wire.cancel();
    }),
  );
  wire.on("error", (error) => ended.resolve(error.message));
  wire.on("end", () => ended.resolve("ended"));
  for (const batch of batches) wire.write(batch);
  const error = await ended.promise;
  client.close();
  return { frames, error };
}

describe("a peer that speaks nonsense", () => {
  const hello = outFrame(kinds.hello, { payload: helloPayload(1) });
  const garbage: ReadonlyArray<readonly [string, readonly Buffer[]]> = [
    ["no batch at all", [Buffer.from("GET / HTTP/1.1")]],
    ["a batch cut short", [batchOf(hello), batchOf(outFrame(kinds.request, { id: 1, method: "m" })).subarray(0, -1)]],
    ["no greeting", [batchOf(outFrame(kinds.request, { id: 1, method: "test/Echo" }))]],
    ["a frame of the other side", [batchOf(hello), batchOf(outFrame(kinds.reply, { id: 1 }))]],
    ["a call without an id", [batchOf(hello), batchOf(outFrame(kinds.request, { method: "test/Echo" }))]],
  ];
  for (const [what, batches] of garbage) {
    test(`is told so and cut off, and the server serves the others: ${what}`, async () => {
      const { port } = await listening("a");
      const { error } = await rawExchange(port, batches);
      assert.match(error, /INVALID_ARGUMENT: unreadable frames: /);
      assert.deepEqual(await calling(`127.0.0.1:${port}`).call(echo, text("")), text("a"));
    });
  }

  test("is rejected with the version that is spoken here", async () => {
    const { port } = await listening("a");
    const { frames } = await rawExchange(port, [batchOf(outFrame(kinds.hello, { payload: helloPayload(99) }))]);
    assert.deepEqual(frames, ["version 99 of the protocol is not spoken here, but version 1"]);
  });

  for (const [what, answer] of [
    ["garbage", Buffer.from("not a batch")],
    ["another version", batchOf(outFrame(kinds.hello, { payload: helloPayload(2) }))],
    ["a rejection", batchOf(outFrame(kinds.reject, { payload: helloPayload(1, "go away") }))],
  ] as const) {
    test(`as a server is left with a clear reason: ${what}`, async () => {
      const server = new Server();
      const open = (wire: ServerDuplexStream<Buffer, Buffer>): void => {
        wire.on("data", () => wire.write(answer));
        wire.on("error", () => {});
        wire.on("end", () => wire.end());
      };
      server.addService({ Open: linkMethod }, { Open: open });
      const port = await new Promise<number>((resolve, reject) => {
        server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
          error === null ? resolve(bound) : reject(error),
        );
      });
      cleanups.push(async () => server.forceShutdown());
      const reasons: string[] = [];
      const warn = (fields: object): void => {
        reasons.push(JSON.stringify(fields));
      };
      const caller = calling(`127.0.0.1:${port}`, { log: { info: () => {}, warn, error: warn }, waitForPeerMs: 100 });
      await assert.rejects(caller.call(echo, text("")), hasReason("ServiceUnavailable"));
      assert.match(reasons[0] ?? "", /unreadable frames|speaks version 2|go away/);
    });
  }
});
