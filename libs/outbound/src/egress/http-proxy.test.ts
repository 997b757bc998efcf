import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { after, before, type TestContext, test } from "node:test";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { issueAuthority, issueClient, issueServing } from "@orch/pki/certificates.js";
import type { HostPort } from "../dial.js";
import { echo, listening, received } from "../testing/servers.js";
import type { EgressConnection } from "./configuration.js";
import { createEgress, type EgressObserver } from "./egress.js";

const folder = mkdtempSync(join(tmpdir(), "orch-egress-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const now = Date.now();
let authority: Awaited<ReturnType<typeof issueAuthority>>;
let serving: Awaited<ReturnType<typeof issueServing>>;
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

before(async () => {
  authority = await issueAuthority("proxies", now);
  serving = await issueServing(authority, ["127.0.0.1", "localhost"], now);
  const client = await issueClient(authority, { name: "server" }, now);
  file("ca", authority.certificate);
  file("cert", client.certificate);
  file("key", client.key);
});

const files = { authorities: join(folder, "ca"), certificate: join(folder, "cert"), key: join(folder, "key") };

/** What a proxy was sent first, and what it does with it: a connection by default. */
interface Proxy {
  readonly heads: string[];
  readonly serve: (socket: Socket) => void;
}

function proxyWith(answer: (socket: Socket) => void): Proxy {
  const heads: string[] = [];
  return {
    heads,
    serve(socket) {
      socket.once("data", (head: Buffer) => {
        heads.push(head.toString());
        answer(socket);
      });
    },
  };
}

const leadsTo = ({ port }: HostPort, greeting = "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n"): Proxy =>
  proxyWith((socket) => {
    const upstream = connect({ port, host: "127.0.0.1" }, () => {
      socket.write(greeting);
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
  });

function observed() {
  const told: string[] = [];
  const text = ({ protocol, transport }: { protocol: string; transport: string }): string => `${protocol}/${transport}`;
  const observer: EgressObserver = {
    started: (labels) => void told.push(`start ${text(labels)}`),
    dialed: (labels) => void told.push(`dialed ${text(labels)}`),
    failed: (labels, stage) => void told.push(`failed ${text(labels)} ${stage}`),
  };
  return { told, observer };
}

function egressBy(connection: EgressConnection) {
  const { told, observer } = observed();
  const egress = createEgress(new Map([["etcd", connection]]), { observer, monotonic: () => performance.now() });
  const dial = (to: HostPort, ms = 5_000) => egress.dial("etcd")(to, AbortSignal.timeout(ms));
  return { dial, told, egress };
}

async function exchanged(socket: Duplex, text: string): Promise<string> {
  const back = received(socket, text.length);
  socket.write(text);
  return back;
}

async function unixProxy(
  t: TestContext,
  proxy: Proxy,
): Promise<{ readonly path: string; readonly connection: EgressConnection }> {
  const path = join(folder, `${Math.random()}.sock`);
  await listening(t, createServer(proxy.serve), path);
  return { path, connection: { protocol: "HTTPConnect", proxy: { transport: "uds", socketPath: path } } };
}

test("CONNECT over a Unix socket, in the reference's words", async (t) => {
  const target = await echo(t);
  const proxy = leadsTo(target);
  const { connection } = await unixProxy(t, proxy);
  const { dial, told } = egressBy(connection);
  const socket = await dial(target);
  assert.equal(await exchanged(socket, "hello"), "hello");
  socket.destroy();
  assert.deepEqual(proxy.heads, [`CONNECT 127.0.0.1:${target.port} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`]);
  assert.deepEqual(told, ["start http_connect/uds", "dialed http_connect/uds"]);
  const six = await dial({ host: "::1", port: 443 });
  six.destroy();
  assert.match(proxy.heads[1] ?? "", /^CONNECT \[::1\]:443 /);
});

test("CONNECT over TCP, in the clear and with certificates of both sides", async (t) => {
  const target = await echo(t);
  const plain = await listening(t, createServer(leadsTo(target).serve));
  const clear = egressBy({
    protocol: "HTTPConnect",
    proxy: { transport: "tcp", url: `http://127.0.0.1:${plain.port}` },
  });
  const first = await clear.dial(target);
  assert.equal(await exchanged(first, "a"), "a");
  first.destroy();

  const options = { cert: serving.certificate, key: serving.key, ca: authority.certificate, requestCert: true };
  const tlsProxy = createTlsServer({ ...options, rejectUnauthorized: true }, leadsTo(target).serve);
  const { port } = await listening(t, tlsProxy);
  for (const host of ["127.0.0.1", "localhost"]) {
    const url = `https://${host}:${port}`;
    const { dial, told } = egressBy({ protocol: "HTTPConnect", proxy: { transport: "tcp", url, tls: files } });
    const socket = await dial(target);
    assert.equal(await exchanged(socket, "b"), "b");
    socket.destroy();
    assert.deepEqual(told, ["start http_connect/tcp", "dialed http_connect/tcp"]);
  }
  const { authorities: _, ...untrusting } = files;
  const stranger = egressBy({
    protocol: "HTTPConnect",
    proxy: { transport: "tcp", url: `https://127.0.0.1:${port}`, tls: untrusting },
  });
  await assert.rejects(stranger.dial(target), /certificate/);
  assert.deepEqual(stranger.told, ["start http_connect/tcp", "failed http_connect/tcp connect"]);
});

test("TLS runs through a proxy", async (t) => {
  const server = createTlsServer({ cert: serving.certificate, key: serving.key }, (socket) => void socket.pipe(socket));
  const target = await listening(t, server);
  const { connection } = await unixProxy(t, leadsTo(target));
  const socket = await egressBy(connection).dial(target);
  const secure = connectTls({ socket, ca: authority.certificate, servername: "localhost" });
  await once(secure, "secureConnect");
  const large = "x".repeat(3 << 20);
  assert.equal(await exchanged(secure, large), large);
  secure.destroy();
});

test("what a server says before it is asked is not lost", async (t) => {
  const target = await listening(
    t,
    createServer((socket) => void socket.write("welcome")),
  );
  const { connection } = await unixProxy(t, leadsTo(target, "HTTP/1.1 200 OK\r\n\r\nearly,"));
  const socket = await egressBy(connection).dial(target);
  const got = await received(socket, "early,welcome".length);
  assert.equal(got, "early,welcome");
  socket.destroy();
});

const at = "to 10.0.0.1:2379 via proxy <path> failed: ";
const wrong: readonly (readonly [string, (socket: Socket) => void, string])[] = [
  [
    "refuses",
    (s) => s.end("HTTP/1.1 403 Forbidden\r\n\r\n"),
    "proxy error from <path> while dialing 10.0.0.1:2379, code 403: 403 Forbidden",
  ],
  [
    "knows no CONNECT",
    (s) => s.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
    "proxy error from <path> while dialing 10.0.0.1:2379, code 404: 404 Not Found",
  ],
  [
    "answers garbage",
    (s) => s.end("hello\n"),
    `reading HTTP response from CONNECT ${at}malformed HTTP response "hello"`,
  ],
  [
    "answers garbage without an end of line",
    (s) => s.end("hello"),
    `reading HTTP response from CONNECT ${at}malformed HTTP response "hello"`,
  ],
  [
    "answers with no code",
    (s) => s.end("HTTP/1.1 abc\r\n\r\n"),
    `reading HTTP response from CONNECT ${at}malformed HTTP response "HTTP/1.1 abc"`,
  ],
  ["closes", (s) => s.end(), `reading HTTP response from CONNECT ${at}unexpected EOF`],
  [
    "closes in the middle",
    (s) => s.end("HTTP/1.1 200 OK\r\n"),
    `reading HTTP response from CONNECT ${at}unexpected EOF`,
  ],
  ["breaks", (s) => s.destroy(), `reading HTTP response from CONNECT ${at}`],
  [
    "talks without end",
    (s) => s.write(`HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(20_000)}`),
    `reading HTTP response from CONNECT ${at}the response is too long`,
  ],
];
for (const [what, answer, expected] of wrong) {
  test(`a proxy that ${what} is an error that says so`, async (t) => {
    const { path, connection } = await unixProxy(t, proxyWith(answer));
    const { dial, told } = egressBy(connection);
    await assert.rejects(dial({ host: "10.0.0.1", port: 2379 }), (error) => {
      assert.ok(error instanceof Error);
      const message = error.message.replace(path, "<path>");
      assert.ok(expected.endsWith(": ") ? message.startsWith(expected) : message === expected, message);
      return true;
    });
    assert.deepEqual(told, ["start http_connect/uds", "failed http_connect/uds proxy"]);
  });
}

test("a proxy that hangs is left when the time is over", async (t) => {
  let closed: Promise<unknown> = Promise.resolve();
  const { connection } = await unixProxy(
    t,
    proxyWith((socket) => {
      closed = once(socket, "close");
    }),
  );
  const { dial, told } = egressBy(connection);
  await assert.rejects(dial({ host: "10.0.0.1", port: 1 }, 100), { name: "TimeoutError" });
  assert.deepEqual(told, ["start http_connect/uds", "failed http_connect/uds proxy"]);
  await closed;
});

test("a proxy that is not there is an error of the connection to it", async () => {
  const nowhere: EgressConnection = {
    protocol: "HTTPConnect",
    proxy: { transport: "uds", socketPath: join(folder, "nobody.sock") },
  };
  const { dial, told } = egressBy(nowhere);
  await assert.rejects(dial({ host: "a", port: 1 }), { code: "ENOENT" });
  assert.deepEqual(told, ["start http_connect/uds", "failed http_connect/uds connect"]);
});

test("what is not selected, and what is direct, goes straight and is not counted", async (t) => {
  const target = await echo(t);
  const { dial, told, egress } = egressBy({ protocol: "Direct" });
  for (const socket of [await dial(target), await egress.dial("cluster")(target, AbortSignal.timeout(5_000))]) {
    assert.equal(await exchanged(socket, "x"), "x");
    socket.destroy();
  }
  assert.deepEqual(told, []);
});
