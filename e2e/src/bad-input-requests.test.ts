import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectPlain } from "node:net";
import { type TestContext, test } from "node:test";
import { codesOf, converse, head } from "./bad-input-conversation.js";
import { type Server, startServer } from "./command-line-program.js";

const maps = "/api/v1/namespaces/default/configmaps";

test("bad paths, queries and headers are refused, and the server serves on", async (t) => {
  const server = await startServer(t);
  const made = await server.ask(maps, { method: "POST", headers: json, body: '{"metadata":{"name":"a"}}' });
  assert.equal(made.status, 201);
  await t.test("paths", (inPaths) => answers(inPaths, server, paths));
  await t.test("queries", (inQueries) => answers(inQueries, server, queries));
  await t.test("request lines and headers", (inHeads) => heads(inHeads, server));
  await t.test("HTTP without TLS is told that it is", () => plainHttp(server));
  await t.test("a path is never part of another key", () => escapes(server));
  const resident = await server.metric("process_resident_memory_bytes");
  assert.ok(resident < 400 * 1024 * 1024, `${resident} bytes resident`);
  assert.equal((await server.ask(`${maps}/a`)).status, 200);
});

const json = { "Content-Type": "application/json" };

interface Row {
  readonly path: string;
  readonly title?: string;
  readonly method?: string;
  readonly status: number;
  readonly message?: RegExp;
}

async function answers(t: TestContext, server: Server, table: readonly Row[]): Promise<void> {
  for (const { path, title, method, status, message } of table) {
    await t.test(`${title ?? `${method ?? "GET"} ${path}`} is answered ${status}`, async () => {
      const { socket, until } = await converse(t, server);
      socket.write(
        head(server, { path, ...(method === undefined ? {} : { method }), headers: ["Connection: close"] }),
        "latin1",
      );
      const text = await until(message ?? /\r\n\r\n/);
      assert.deepEqual(codesOf(text), [status], text.slice(0, 500));
      socket.destroy();
    });
  }
}

const paths: readonly Row[] = [
  { path: "/api/v1/namespaces/default/../../nodes", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/../secrets", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/%2e%2e/secrets", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/..%2fsecrets", status: 404 },
  { path: "/api/v1/namespaces/default%2fconfigmaps", status: 404 },
  { path: "/api/v1/namespaces/default%2Fconfigmaps%2Fa", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/a%00", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/%zz", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/%", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/%ff", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/%c0%af", status: 404 },
  { path: "/api/v1//namespaces/default/configmaps", status: 404 },
  { path: "/api//v1/nodes", status: 404 },
  { path: "/api/v1/namespaces//configmaps", status: 404 },
  { path: "/api/v1/namespaces/./configmaps/a", status: 404 },
  {
    path: "/api/v1/namespaces/default/configmaps/__proto__",
    status: 404,
    message: /configmaps \\"__proto__\\" not found/,
  },
  { path: "/api/v1/__proto__", status: 404 },
  { path: "/api/__proto__/constructor", status: 404 },
  { path: "/apis/__proto__", status: 404 },
  { path: "/apis/__proto__/constructor/toString", status: 404 },
  { path: "/apis/constructor/v1", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/a/b/c/d/e/f", status: 404 },
  { path: "/healthz/../api/v1/nodes", status: 404 },
  { path: "/..", status: 404 },
  { path: "/%2e%2e/%2e%2e/etc/passwd", status: 404 },
  { path: "//api/v1/nodes", status: 404 },
  { path: "/API/V1/nodes", status: 404 },
  {
    path: `/api/v1/namespaces/default/configmaps/${"n".repeat(50_000)}`,
    title: "a name of 50,000 characters",
    status: 404,
  },
  { path: "/a".repeat(20_000), title: "a path of 20,000 segments", status: 404 },
  { path: `/api/v1/${"%2e%2e/".repeat(5_000)}`, title: "5,000 steps up", status: 404 },
  { path: "/api/v1/namespaces/default/configmaps/\u00ff", title: "a byte that is no ASCII", status: 400 },
  { path: "http://elsewhere/api/v1/nodes", title: "a whole address", status: 200 },
  { path: "*", method: "OPTIONS", status: 404 },
];

const list = (query: string): string => `${maps}?${query}`;
const manyTerms = Array.from({ length: 3_000 }, (_, i) => `k${i}=v`).join(",");

const queries: readonly Row[] = [
  { path: list("labelSelector=!!"), status: 400, message: /unable to parse requirement/ },
  { path: list("labelSelector=a%3D%3D%3Db"), status: 400 },
  { path: list("labelSelector=a%20in%20(,b"), status: 400 },
  { path: list("labelSelector=a%20in%20b"), status: 400 },
  { path: list("labelSelector=,,"), status: 400 },
  { path: list("labelSelector=-a%3Db"), status: 400 },
  { path: list("labelSelector=a%3D-b"), status: 400 },
  { path: list("labelSelector=a%3E1.5"), status: 400 },
  { path: list("labelSelector=%00"), status: 400 },
  { path: list("labelSelector=%zz"), status: 400 },
  { path: list(`labelSelector=${"(".repeat(50_000)}`), title: "50,000 brackets as a selector", status: 400 },
  { path: list(`labelSelector=${manyTerms}`), title: "a selector of 3,000 terms", status: 400 },
  { path: list("fieldSelector=spec.foo%3D1"), status: 400, message: /is not a known field selector/ },
  { path: list("fieldSelector=metadata.name"), status: 400 },
  { path: list("fieldSelector=__proto__%3Da"), status: 400 },
  { path: list("fieldSelector=metadata.name%3D%5C"), status: 400 },
  { path: list("limit=abc"), status: 400 },
  { path: list("limit=1.5"), status: 400 },
  { path: list("limit=1e3"), status: 400 },
  { path: list("limit=0x10"), status: 400 },
  { path: list("limit=99999999999999999999"), status: 400 },
  { path: list("limit=-5"), status: 200 },
  { path: list("limit=999999999"), status: 200 },
  { path: list("limit=1&continue=garbage"), status: 400, message: /continue/ },
  { path: list("limit=1&continue=eyJ2IjoxfQ"), status: 400 },
  { path: list("continue=eyJ2IjoxLCJydiI6MSwiYWZ0ZXIiOiIuLi8uLi9zZWNyZXRzIn0"), status: 400 },
  { path: list(`continue=${"A".repeat(50_000)}`), title: "a continue token of 50,000 characters", status: 400 },
  { path: list("resourceVersion=abc"), status: 400 },
  { path: list("resourceVersion=-1"), status: 400 },
  { path: list("resourceVersion=1.0"), status: 400 },
  { path: list("resourceVersion=99999999999999999999999"), status: 400 },
  { path: list("watch=1&resourceVersion=abc"), status: 400 },
  { path: list("timeoutSeconds=x"), status: 400 },
  { path: list("watch=1&timeoutSeconds=x"), status: 400 },
  { path: list("watch=1&timeoutSeconds=99999999999999999999"), status: 400 },
  { path: list("resourceVersionMatch=Exact"), status: 422 },
  { path: list("__proto__=1&constructor=2&toString=3"), status: 200 },
  { path: list(`x=${"x".repeat(60_000)}`), title: "a query of 60,000 characters", status: 200 },
  { path: list("x&".repeat(25_000)), title: "a query of 25,000 parameters", status: 200 },
  { path: list(`x=${"x".repeat(200_000)}`), title: "a query of 200,000 characters", status: 431 },
  { path: list("%ff%fe=%80"), status: 200 },
  { path: `${maps}/a?resourceVersion=abc`, status: 400 },
  { path: `${maps}/a?gracePeriodSeconds=x`, method: "DELETE", status: 400 },
];

interface HeadRow {
  readonly title: string;
  readonly text: (server: Server) => string;
  /** 0: the connection ends without an answer. */
  readonly status: number;
}

const withHeader = (header: string) => (server: Server) => head(server, { path: maps, headers: [header] });

const headRows: readonly HeadRow[] = [
  {
    title: "a whole URL of a list, in capitals and with a host that is another's",
    text: (s) => head(s, { path: `HTTPS://other.example:1${maps}?limit=1` }),
    status: 200,
  },
  { title: "a whole URL of nothing", text: (s) => head(s, { path: `http://localhost${maps}/none` }), status: 404 },
  { title: "a URL without a path", text: (s) => head(s, { path: "https://localhost?a=b" }), status: 200 },
  { title: "a header of one megabyte", text: withHeader(`X-Large: ${"x".repeat(1024 * 1024)}`), status: 431 },
  { title: "a header name of one megabyte", text: withHeader(`${"X".repeat(1024 * 1024)}: x`), status: 431 },
  { title: "a header of 100 KB that never ends", text: (s) => head(s).slice(0, -2) + "x".repeat(100_000), status: 431 },
  {
    title: "ten thousand headers",
    text: withHeader(Array.from({ length: 10_000 }, (_, i) => `X-${i}: x`).join("\r\n")),
    status: 431,
  },
  { title: "a request line of 100 KB", text: (s) => head(s, { path: `/${"x".repeat(100_000)}` }), status: 431 },
  { title: "garbage", text: () => "\u0000\u0001garbage\u00ff\r\n\r\n", status: 400 },
  { title: "an unknown method", text: (s) => head(s, { method: "BREW" }), status: 400 },
  { title: "an unknown version of HTTP", text: () => "GET / HTTP/3.7\r\nHost: x\r\n\r\n", status: 400 },
  { title: "HTTP/2 without having agreed on it", text: () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", status: 400 },
  { title: "no host", text: () => "GET /livez HTTP/1.1\r\n\r\n", status: 400 },
  { title: "two hosts", text: withHeader("Host: other"), status: 400 },
  {
    title: "two hosts that are the same, in an upgrade",
    text: withHeader("Host: localhost\r\nUpgrade: websocket"),
    status: 400,
  },
  { title: "a host with a space", text: () => "GET /livez HTTP/1.1\r\nHost: a b\r\n\r\n", status: 400 },
  { title: "a line of HTTP/0.9", text: () => "GET /livez\r\n\r\n", status: 400 },
  { title: "HTTP/0.9 by name", text: () => "GET /livez HTTP/0.9\r\nHost: x\r\n\r\n", status: 400 },
  { title: "HTTP/2 by name", text: () => "GET /livez HTTP/2.0\r\nHost: x\r\n\r\n", status: 505 },
  { title: "a space before the colon", text: withHeader("X-Bad : x"), status: 400 },
  { title: "a header without a colon", text: withHeader("nonsense"), status: 400 },
  { title: "a zero byte in a header", text: withHeader("X-Bad: a\u0000b"), status: 400 },
  { title: "a length that is no number", text: withHeader("Content-Length: x"), status: 400 },
  { title: "a negative length", text: withHeader("Content-Length: -1"), status: 400 },
  { title: "two lengths", text: withHeader("Content-Length: 1\r\nContent-Length: 2"), status: 400 },
  { title: "a length and chunks", text: withHeader("Content-Length: 5\r\nTransfer-Encoding: chunked"), status: 400 },
  { title: "an encoding that nobody knows", text: withHeader("Transfer-Encoding: gzip, chunked, foo"), status: 400 },
  {
    title: "a token of 50 KB",
    text: () => `GET ${maps} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${"x".repeat(50_000)}\r\n\r\n`,
    status: 401,
  },
  {
    title: "credentials of an unknown kind",
    text: () => `GET ${maps} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic eDp5\r\n\r\n`,
    status: 403,
  },
  {
    title: "an upgrade that is not on offer",
    text: withHeader("Connection: Upgrade\r\nUpgrade: websocket"),
    status: 200,
  },
  { title: "an expectation that can not be met", text: withHeader("Expect: the-moon"), status: 417 },
  { title: "ten kilobytes of accepted types", text: withHeader(`Accept: ${"a/b,".repeat(2_500)}*/*`), status: 200 },
  { title: "a bad quality", text: withHeader("Accept: application/json;q=x"), status: 406 },
];

async function heads(t: TestContext, server: Server): Promise<void> {
  for (const { title, text, status } of headRows) {
    await t.test(`${title} is answered ${status}`, async () => {
      const { socket, until } = await converse(t, server);
      socket.write(text(server), "latin1");
      assert.deepEqual(codesOf(await until(/\r\n\r\n/)), [status]);
      socket.destroy();
    });
  }
}

/** What a client that does not speak TLS is told, byte by byte as Go's server says it. */
async function plainHttp(server: Server): Promise<void> {
  for (const request of [
    "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
  ]) {
    const socket = connectPlain(server.port, "127.0.0.1");
    socket.write(request);
    let answer = "";
    for await (const part of socket) answer += String(part);
    assert.equal(answer, "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
  }
  const noise = connectPlain(server.port, "127.0.0.1");
  noise.on("error", () => {});
  noise.end(Buffer.alloc(1000, 7)).resume();
  await once(noise, "close");
  assert.equal((await server.ask("/livez")).status, 200);
}

async function escapes(server: Server): Promise<void> {
  const secret = await server.ask("/api/v1/namespaces/default/secrets", {
    method: "POST",
    headers: json,
    body: '{"metadata":{"name":"hidden"},"stringData":{"k":"v"}}',
  });
  assert.equal(secret.status, 201);
  for (const name of ["..%2F..%2Fsecrets%2Fdefault%2Fhidden", "..%2f..%2fsecrets/default/hidden", "a%2f..%2fa"]) {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await server.ask(`${maps}/${name}`, {
        method,
        headers: json,
        ...(method === "GET" ? {} : { body: "{}" }),
      });
      assert.equal(answer.status, 404, `${method} ${name}: ${answer.body}`);
    }
  }
  assert.equal((await server.ask("/api/v1/namespaces/default/secrets/hidden")).status, 200);
  const within = await server.ask(`/api/v1/namespaces/${encodeURIComponent("default/secrets")}/configmaps`, {
    method: "POST",
    headers: json,
    body: '{"metadata":{"name":"x"}}',
  });
  assert.equal(within.status, 404);
}
