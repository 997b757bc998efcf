import assert from "node:assert/strict";
import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import { Agent, request } from "node:https";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { type Server, startServer } from "./command-line-program.js";
import { until } from "./harness/until.js";

const maps = "/api/v1/namespaces/default/configmaps";
const text = (characters: number): string => "x".repeat(characters);
const named = (name: string, data: object = {}): string => JSON.stringify({ metadata: { name }, data });

/** Longer than any request may take: what is not answered then never is. */
const answerPatienceMs = 90_000;

/** A connection that ends with its test. */
async function dial(t: TestContext, server: Server): Promise<ClientHttp2Session> {
  const session = connect(server.url, { ca: server.ca });
  session.on("error", () => {});
  t.after(() => session.destroy());
  await once(session, "remoteSettings", { signal: AbortSignal.timeout(answerPatienceMs) });
  return session;
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  readonly body: string;
}

function open(session: ClientHttp2Session, server: Server, headers: OutgoingHttpHeaders): ClientHttp2Stream {
  const stream = session.request(
    { authorization: `Bearer ${server.token}`, ...headers },
    { endStream: headers[":method"] !== "POST" },
  );
  stream.on("error", () => {});
  return stream;
}

async function ask(
  session: ClientHttp2Session,
  server: Server,
  headers: OutgoingHttpHeaders,
  body = "",
): Promise<Answer> {
  const stream = open(session, server, headers);
  if (body !== "") stream.end(body);
  const patience = AbortSignal.timeout(answerPatienceMs);
  patience.addEventListener("abort", () => stream.destroy(new Error(`no answer to ${headers[":path"]} in time`)));
  const answered: Promise<IncomingHttpHeaders[]> = once(stream, "response");
  const [response = {}] = await answered;
  stream.setEncoding("utf8");
  let whole = "";
  for await (const part of stream) whole += String(part);
  return { headers: response, status: Number(response[":status"]), body: whole };
}

const json = { "content-type": "application/json" };
const post = (session: ClientHttp2Session, server: Server, body: string): Promise<Answer> =>
  ask(session, server, { ":method": "POST", ":path": maps, ...json }, body);

test("HTTP/2", async (t) => {
  const server = await startServer(t, { args: ["--http2-max-streams-per-connection=120"] });

  await t.test("the protocol is the one that both sides know", async () => {
    const rows = [
      [["h2", "http/1.1"], "h2"],
      [["http/1.1"], "http/1.1"],
      [["http/1.1", "h2"], "h2"],
      [undefined, false],
    ] as const;
    for (const [offered, chosen] of rows) {
      const socket = connectTls({
        host: "127.0.0.1",
        port: server.port,
        ca: server.ca,
        ...(offered === undefined ? {} : { ALPNProtocols: [...offered] }),
      });
      await once(socket, "secureConnect");
      assert.equal(socket.alpnProtocol, chosen);
      socket.destroy();
    }
  });

  await t.test("every kind of request is answered on one connection", async (one) => {
    const session = await dial(one, server);
    assert.equal((await post(session, server, named("a", { k: "ü" }))).status, 201);
    const read = await ask(session, server, { ":path": `${maps}/a` });
    assert.equal(read.status, 200);
    assert.match(read.body, /"k":"ü"/);
    assert.equal(read.headers["content-type"], "application/json");
    assert.equal(read.headers["cache-control"], "no-cache, private");
    assert.equal((await ask(session, server, { ":path": maps })).status, 200);
    assert.equal((await ask(session, server, { ":path": `${maps}/none` })).status, 404);
    assert.equal((await ask(session, server, { ":method": "DELETE", ":path": `${maps}/a` })).status, 200);
    for (const path of ["/healthz", "/metrics", "/version", "/openapi/v3", "/api", "/apis", "/nonsense"]) {
      const { status, body } = await ask(session, server, { ":path": path });
      assert.equal(status, path === "/nonsense" ? 404 : 200, path);
      assert.notEqual(body, "");
    }
    const head = await ask(session, server, { ":method": "HEAD", ":path": "/version" });
    assert.equal(head.status, 200);
    assert.equal(head.body, "");
    const anonymous = await ask(session, server, { ":path": maps, authorization: "" });
    assert.ok([401, 403].includes(anonymous.status), `${anonymous.status}`);
    const both = named("b").replace("{", '{"a":1,"b":2,');
    const warned = await post(session, server, both);
    assert.equal(String(warned.headers["warning"]).match(/299 - /g)?.length, 2, "each warning is one");
  });

  await t.test("as many watches as the limit says share a connection with gets, and see what changes", async (one) => {
    const session = await dial(one, server);
    assert.equal(session.remoteSettings.maxConcurrentStreams, 120);
    const watches = Array.from({ length: 100 }, () => {
      const stream = open(session, server, { ":path": `${maps}?watch=1&fieldSelector=metadata.name=seen` });
      const seen = { events: "" };
      stream.setEncoding("utf8").on("data", (part: string) => {
        seen.events += part;
      });
      return seen;
    });
    for (let i = 0; i < 20; i++) assert.equal((await ask(session, server, { ":path": maps })).status, 200);
    assert.equal((await post(session, server, named("seen"))).status, 201);
    await until(
      "all watches have the event",
      () => watches.every(({ events }) => events.includes('"name":"seen"')) || undefined,
    );
  });

  await t.test("a stream whose client does not read holds up nobody, not even on its own connection", async (one) => {
    const session = await dial(one, server);
    for (let i = 0; i < 8; i++)
      assert.equal((await post(session, server, named(`big${i}`, { t: text(900_000) }))).status, 201);
    const stalled = Array.from({ length: 20 }, () => open(session, server, { ":path": maps }));
    await Promise.all(stalled.map((stream) => once(stream, "response")));
    for (let i = 0; i < 5; i++) assert.equal((await ask(session, server, { ":path": `${maps}/none` })).status, 404);
    assert.equal((await server.ask(`${maps}/big1`)).status, 200);
    const [first] = stalled;
    let bytes = 0;
    for await (const part of first ?? []) bytes += Buffer.byteLength(part);
    assert.ok(bytes > 8 * 900_000, "the list is whole once it is read");
    for (const stream of stalled) stream.close(constants.NGHTTP2_CANCEL);
  });

  await t.test("a body beyond the limit is refused while it comes", async (one) => {
    const session = await dial(one, server);
    const refused = await post(session, server, named("huge", { t: text(8_000_000) }));
    assert.equal(refused.status, 413);
    assert.equal((await ask(session, server, { ":path": "/livez" })).status, 200, "the connection goes on");
  });

  await t.test("who opens streams only to take them back loses the connection, and nobody else does", async (one) => {
    const session = await dial(one, server);
    const ended = new Promise((resolve) => session.once("close", resolve));
    for (let i = 0; i < 20_000 && !session.destroyed && !session.closed; i++) {
      const stream = open(session, server, { ":path": maps });
      stream.close(constants.NGHTTP2_CANCEL);
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    assert.equal((await server.ask("/livez")).status, 200);
  });

  await t.test("headers beyond the limit are refused", async (one) => {
    const session = await dial(one, server);
    const answered = ask(session, server, { ":path": maps, "x-long": text(200_000) }).then(
      ({ status }) => status,
      () => 0,
    );
    assert.ok([0, 431].includes(await answered));
    assert.equal((await server.ask("/livez")).status, 200);
  });

  await t.test(
    "with HTTP/1, a large body right after a large answer on one connection is no bad request",
    async (one) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: server.ca });
      one.after(() => agent.destroy());
      const call = (method: string, path: string, body = ""): Promise<number> =>
        new Promise((resolve, reject) => {
          const headers = {
            authorization: `Bearer ${server.token}`,
            ...json,
            "content-length": Buffer.byteLength(body),
          };
          const sent = request(server.url + path, { agent, method, headers }, (response) => {
            response.resume().once("end", () => resolve(response.statusCode ?? 0));
          });
          sent.once("error", reject).end(body);
        });
      for (let i = 0; i < 60; i++) {
        assert.equal(await call("GET", maps), 200);
        assert.equal(await call("PUT", `${maps}/big0`, named("big0", { t: text(900_000 - i) })), 200);
      }
    },
  );

  await t.test("a stop tells the clients, ends their watches whole and answers what is under way", async (one) => {
    const session = await dial(one, server);
    const watch = open(session, server, {
      ":path": `${maps}?watch=1&allowWatchBookmarks=true&fieldSelector=metadata.name=z`,
    });
    let events = "";
    watch.setEncoding("utf8").on("data", (part: string) => {
      events += part;
    });
    await once(watch, "response");
    const told = once(session, "goaway");
    const ended = once(watch, "end");
    server.child.kill("SIGTERM");
    await Promise.all([told, ended]);
    assert.match(events, /"BOOKMARK"/);
    assert.deepEqual(await server.exit, { code: 0, signal: null }, server.errors());
  });
});
