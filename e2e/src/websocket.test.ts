import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { type Server, startServer } from "./command-line-program.js";
import { until } from "./harness/until.js";

const maps = "/api/v1/namespaces/default/configmaps";
const json = { "Content-Type": "application/json" };

interface Watching {
  readonly socket: WebSocket;
  readonly messages: readonly { readonly data: Buffer; readonly binary: boolean }[];
}

interface Dialling {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: string[];
}

function dial(t: TestContext, server: Server, { path, headers, protocols = [] }: Dialling): Watching {
  const messages: { data: Buffer; binary: boolean }[] = [];
  const socket = new WebSocket(`${server.url.replace("https:", "wss:")}${path}`, protocols, {
    ca: server.ca,
    headers: { ...(headers ?? { Authorization: `Bearer ${server.token}` }) },
  });
  socket.on("message", (data: Buffer, binary: boolean) => messages.push({ data, binary }));
  socket.on("error", () => {});
  t.after(() => socket.terminate());
  return { socket, messages };
}

/** The code that a request is answered with which is not upgraded. */
async function refusal(watching: Watching): Promise<number | undefined> {
  const answered: Promise<[unknown, { readonly statusCode?: number }]> = once(
    watching.socket,
    "unexpected-response",
  ).then(([request, response]) => [request, response]);
  const [, { statusCode }] = await answered;
  return statusCode;
}

const types = ({ messages }: Watching): readonly string[] =>
  messages.map(({ data }) => String(JSON.parse(data.toString("utf8")).type));

async function create(server: Server, name: string): Promise<void> {
  const body = JSON.stringify({ metadata: { name } });
  const answer = await server.ask(maps, { method: "POST", headers: json, body });
  assert.equal(answer.status, 201, answer.body);
}

test("watches over WebSocket", async (t) => {
  const server = await startServer(t);

  await t.test("an event is a message", async (one) => {
    await create(server, "first");
    const text = dial(one, server, { path: `${maps}?watch=1` });
    const bytes = dial(one, server, {
      path: `${maps}?watch=1`,
      headers: { Authorization: `Bearer ${server.token}`, Accept: "application/vnd.kubernetes.protobuf;stream=watch" },
    });
    await Promise.all([once(text.socket, "open"), once(bytes.socket, "open")]);
    for (let i = 0; i < 20; i++) await create(server, `a${i}`);
    // Each may begin with objects that were there before.
    const isWhole = ({ messages }: typeof text): boolean => messages.at(-1)?.data.includes("a19") ?? false;
    await until("all events are there", () => (isWhole(text) && isWhole(bytes)) || undefined);
    assert.deepEqual(
      types(text),
      Array.from({ length: text.messages.length }, () => "ADDED"),
    );
    assert.ok(text.messages.every(({ binary }) => !binary));
    assert.ok(bytes.messages.every(({ data, binary }) => binary && data.includes("ADDED")));
    assert.equal(text.messages.length, bytes.messages.length);
  });

  await t.test("a browser's token comes as a protocol, and another protocol is chosen", async (one) => {
    const token = Buffer.from(server.token).toString("base64url");
    const protocols = [`base64url.bearer.authorization.k8s.io.${token}`, "base64.binary.k8s.io"];
    const watching = dial(one, server, { path: `${maps}?watch=1`, headers: {}, protocols });
    await once(watching.socket, "open");
    assert.equal(watching.socket.protocol, "base64.binary.k8s.io");
    await until("an event is there", () => watching.messages.length > 0 || undefined);
    const wrong = dial(one, server, {
      path: `${maps}?watch=1`,
      headers: {},
      protocols: ["base64url.bearer.authorization.k8s.io.bm9uZQ", "x"],
    });
    assert.equal(await refusal(wrong), 401);
  });

  await t.test("what is no watch is answered as plain HTTP", async (one) => {
    const rows = [
      [`${maps}?watch=1&resourceVersion=x`, 400],
      ["/api/v1/nonsense?watch=1", 404],
      [maps, 200],
      [`${maps}/none`, 404],
      ["/healthz", 200],
    ] as const;
    for (const [path, code] of rows) assert.equal(await refusal(dial(one, server, { path })), code, path);
    const anonymous = dial(one, server, { path: `${maps}?watch=1`, headers: {} });
    assert.equal(await refusal(anonymous), 403);
    const accept = { Authorization: `Bearer ${server.token}`, Accept: "text/html" };
    assert.equal(await refusal(dial(one, server, { path: `${maps}?watch=1`, headers: accept })), 406);
  });

  await t.test("its time over, a watch closes in order; a client that says too much is shut out", async (one) => {
    const short = dial(one, server, { path: `${maps}?watch=1&timeoutSeconds=1` });
    const [code] = await once(short.socket, "close");
    assert.equal(code, 1000);
    const loud = dial(one, server, { path: `${maps}?watch=1` });
    await once(loud.socket, "open");
    loud.socket.send("x".repeat(100_000));
    await once(loud.socket, "close");
    assert.equal((await server.ask("/livez")).status, 200);
  });

  await t.test("a stop ends it with a bookmark", async (one) => {
    const watching = dial(one, server, {
      path: `${maps}?watch=1&allowWatchBookmarks=true&fieldSelector=metadata.name=no`,
    });
    await once(watching.socket, "open");
    const closed = once(watching.socket, "close");
    server.child.kill("SIGTERM");
    await closed;
    assert.deepEqual(types(watching).at(-1), "BOOKMARK");
    assert.deepEqual(await server.exit, { code: 0, signal: null }, server.errors());
  });
});
