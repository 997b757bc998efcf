import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { codesOf, converse, head } from "./bad-input-conversation.js";
import { type Server, startServer } from "./command-line-program.js";

const maps = "/api/v1/namespaces/default/configmaps";
const jsonType = "Content-Type: application/json";
const mebibyte = 1024 * 1024;

test("bad connections end, and the server serves on", async (t) => {
  const server = await startServer(t, { args: ["--request-timeout=3s"] });
  // What has to wait for a time to pass waits together.
  await t.test("connections", { concurrency: true }, async (inGroup) => {
    await Promise.all([...quick, ...slow].map(([title, run]) => inGroup.test(title, (one) => run(one, server))));
  });
  const answer = await server.ask(maps, { method: "POST", headers: json, body: '{"metadata":{"name":"after"}}' });
  assert.equal(answer.status, 201, answer.body);
  const resident = await server.metric("process_resident_memory_bytes");
  assert.ok(resident < 400 * mebibyte, `${Math.round(resident / mebibyte)} MiB resident`);
});

const json = { "Content-Type": "application/json" };
type Case = readonly [title: string, run: (t: TestContext, server: Server) => Promise<void>];

/** A TCP connection that says nothing of its own. */
async function dial(t: TestContext, server: Server): Promise<Socket> {
  const socket = connectTcp(server.port, "127.0.0.1");
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Settles once the other side has ended or reset the connection. */
function gone(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => {
    socket.on("end", resolve).on("close", resolve).on("error", resolve).resume();
  });
}

const post = (server: Server, headers: readonly string[], path = maps): string =>
  head(server, { method: "POST", path, headers: [jsonType, ...headers] });

const quick: readonly Case[] = [
  [
    "plain HTTP on the TLS port ends",
    async (t, server) => {
      const socket = await dial(t, server);
      socket.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
      await gone(socket);
    },
  ],
  [
    "garbage on the TLS port ends",
    async (t, server) => {
      const socket = await dial(t, server);
      socket.write(Buffer.alloc(64 * 1024, 0xa5));
      await gone(socket);
    },
  ],
  [
    "a TLS record with garbage in it ends",
    async (t, server) => {
      const socket = await dial(t, server);
      socket.write(Buffer.concat([Buffer.from([0x16, 3, 1, 0x02, 0]), Buffer.alloc(512, 0x5a)]));
      await gone(socket);
    },
  ],
  [
    "garbage after the handshake ends",
    async (t, server) => {
      const socket = await dial(t, server);
      const tls = connectTls({ socket, ca: server.ca, host: "localhost" });
      tls.on("error", () => {});
      await once(tls, "secureConnect");
      socket.write(Buffer.alloc(1024, 0x17));
      await gone(socket);
    },
  ],
  [
    "an old version of TLS is refused",
    async (t, server) => {
      const tls = connectTls({
        port: server.port,
        ca: server.ca,
        minVersion: "TLSv1.1",
        maxVersion: "TLSv1.1",
        ciphers: "ALL@SECLEVEL=0",
      });
      t.after(() => tls.destroy());
      await assert.rejects(once(tls, "secureConnect"));
    },
  ],
  [
    "a CONNECT is answered",
    async (t, server) => {
      const { socket, until } = await converse(t, server);
      socket.write("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
      assert.match(await until(/Not Allowed$/), /^HTTP\/1\.1 405 /);
    },
  ],
  [
    "two hundred requests in one go are answered in order",
    async (t, server) => {
      const { socket, until } = await converse(t, server);
      const one = (i: number): string => head(server, { path: i % 2 === 0 ? "/livez" : `${maps}/none-${i}` });
      socket.write(Array.from({ length: 200 }, (_, i) => one(i)).join("") + head(server, { path: "/version" }));
      const text = await until(/"gitVersion"/);
      const codes = codesOf(text);
      assert.deepEqual(codes, [...Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 200 : 404)), 200]);
      const names = [...text.matchAll(/configmaps \\"(none-\d+)\\"/g)].map(([, name]) => name);
      assert.deepEqual(
        names,
        Array.from({ length: 100 }, (_, i) => `none-${2 * i + 1}`),
      );
    },
  ],
  [
    "a refused body of a pipelined request is not taken for the next request",
    async (t, server) => {
      const { socket, until } = await converse(t, server);
      const smuggled = head(server, { method: "DELETE", path: "/api/v1/namespaces/default" });
      const body = smuggled + "x".repeat(4 * mebibyte);
      socket.write(post(server, [`Content-Length: ${body.length}`]) + body);
      socket.write(head(server, { path: "/version" }));
      assert.deepEqual(codesOf(await until(/"gitVersion"/)), [413, 200]);
    },
  ],
  ...["keep-alive", "close"].map(
    (connection): Case => [
      `a refusal reaches a client that reads only after it has sent all (${connection})`,
      async (t, server) => {
        const { socket, until } = await converse(t, server);
        socket.pause();
        socket.write(post(server, [`Content-Length: ${8 * mebibyte}`, `Connection: ${connection}`]));
        const sent = once(socket, "drain");
        socket.write("x".repeat(8 * mebibyte));
        await sent;
        socket.resume();
        assert.deepEqual(codesOf(await until(/"code":413/)), [413]);
      },
    ],
  ),
  [
    "a body that is announced as endless is refused at once and not read for long",
    async (t, server) => {
      const { socket, until, ended } = await converse(t, server);
      socket.write(post(server, ["Content-Length: 99999999999"]));
      assert.deepEqual(codesOf(await until(/"code":413/)), [413]);
      const chunk = Buffer.alloc(mebibyte);
      const pour = (): void => {
        if (!socket.writable) return;
        if (socket.write(chunk)) setImmediate(pour);
        else socket.once("drain", pour);
      };
      pour();
      await ended;
    },
  ],
  [
    "a chunked body over the limit is refused",
    async (t, server) => {
      const { socket, until } = await converse(t, server);
      socket.write(post(server, ["Transfer-Encoding: chunked"]));
      const chunk = `100000\r\n${"x".repeat(mebibyte)}\r\n`;
      for (let i = 0; i < 4; i++) socket.write(chunk);
      assert.deepEqual(codesOf(await until(/"code":413/)), [413]);
    },
  ],
  [
    "a chunked body is a body",
    async (t, server) => {
      const { socket, until } = await converse(t, server);
      const body = '{"metadata":{"name":"chunked"}}';
      const chunks = [...body].map((char) => `1\r\n${char}\r\n`).join("");
      socket.write(`${post(server, ["Transfer-Encoding: chunked"])}${chunks}0\r\n\r\n`);
      assert.deepEqual(codesOf(await until(/"name":"chunked"/)), [201]);
    },
  ],
  ...(["xyz\r\n", "-1\r\n", "fffffffffffffffff\r\n", "5\r\nabcdefgh\r\n", `5;${"e".repeat(100_000)}`] as const).map(
    (chunk): Case => [
      `the chunk ${JSON.stringify(chunk.slice(0, 20))} ends its connection`,
      async (t, server) => {
        const { socket, ended } = await converse(t, server);
        socket.write(post(server, ["Transfer-Encoding: chunked"]) + chunk);
        const codes = codesOf(await ended);
        assert.ok(codes.length <= 1 && codes.every((code) => code >= 400 && code < 500), String(codes));
      },
    ],
  ),
  [
    "a body longer than announced is cut there, and the rest is no request",
    async (t, server) => {
      const { socket, ended } = await converse(t, server);
      socket.write(`${post(server, ["Content-Length: 31"])}{"metadata":{"name":"longer-x"}} and more\r\n\r\n`);
      const codes = codesOf(await ended);
      assert.deepEqual(codes.slice(0, 1), [400], String(codes));
    },
  ],
  [
    "a client that goes in the middle of its body leaves nothing behind",
    async (t, server) => {
      for (let i = 0; i < 50; i++) {
        const { socket } = await converse(t, server);
        socket.write(`${post(server, ["Content-Length: 1000"])}{"metadata":{"name":"half-${i}"`);
        if (i % 2 === 0) socket.destroy();
        else socket.end();
      }
      const { body } = await server.ask(maps);
      assert.doesNotMatch(body, /"half-/);
    },
  ],
  [
    "a watch with garbage behind it ends without a second answer in its middle",
    async (t, server) => {
      const { socket, until, ended } = await converse(t, server);
      socket.write(head(server, { path: `${maps}?watch=1&resourceVersion=0` }));
      await until(/200 OK/);
      socket.write("garbage\r\n\r\n");
      assert.deepEqual(codesOf(await ended), [200]);
    },
  ],
];

const slow: readonly Case[] = [
  [
    "a connection that never speaks TLS ends",
    async (t, server) => {
      await gone(await dial(t, server));
    },
  ],
  [
    "a handshake that stops in its middle ends",
    async (t, server) => {
      const socket = await dial(t, server);
      socket.write(Buffer.from([0x16, 3, 1, 0x02, 0, 1, 0, 1]));
      await gone(socket);
    },
  ],
  [
    "a connection that never asks anything ends",
    async (t, server) => {
      const { ended } = await converse(t, server);
      await ended;
    },
  ],
  [
    "headers that trickle end",
    async (t, server) => {
      const { socket, ended } = await converse(t, server);
      const end = trickle(socket, head(server, { headers: Array.from({ length: 500 }, (_, i) => `X-${i}: x`) }));
      const text = await ended;
      end();
      assert.deepEqual(codesOf(text), [408]);
    },
  ],
  [
    "a body that trickles ends",
    async (t, server) => {
      const { socket, ended } = await converse(t, server);
      socket.write(post(server, ["Content-Length: 2000"]));
      const end = trickle(socket, "x".repeat(2000));
      const text = await ended;
      end();
      assert.deepEqual(codesOf(text), [408]);
    },
  ],
  [
    "a body shorter than announced ends",
    async (t, server) => {
      const { socket, ended } = await converse(t, server);
      socket.write(`${post(server, ["Content-Length: 100"])}{"metadata":{"name":"shorter"}}`);
      assert.deepEqual(codesOf(await ended), [408]);
      assert.equal((await server.ask(`${maps}/shorter`)).status, 404);
    },
  ],
  [
    "a watch lasts longer than a request may take",
    async (t, server) => {
      const { socket, until } = await converse(t, server);
      const began = performance.now();
      socket.write(head(server, { path: `${maps}?watch=1&timeoutSeconds=6` }));
      await until(/200 OK/);
      await until(/\r\n0\r\n\r\n$/);
      const lastedMs = performance.now() - began;
      assert.ok(lastedMs > 5_000, `it ended after ${lastedMs} ms`);
    },
  ],
];

/** Sends a text slower than anybody would wait for it. */
function trickle(socket: TLSSocket, text: string): () => void {
  let at = 0;
  const timer = setInterval(() => {
    if (!socket.writable) return;
    socket.write(text[at++] ?? "x");
  }, 100);
  return () => clearInterval(timer);
}
