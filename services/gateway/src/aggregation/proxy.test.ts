import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { type TestContext, test } from "node:test";
import { connect } from "node:tls";
import type { Asked, Visit } from "../http/exchange.suite.js";
import { visitHttp1 } from "../testing/clients/http1.js";
import { visitHttp2 } from "../testing/clients/http2.js";
import type { Origin } from "../testing/clients/server.js";
import {
  apiOf,
  otherAuthority,
  type ProxyOptions,
  type Serve,
  startBackend,
  startGateway,
  type Upgraded,
} from "./testing/backend.js";

const path = "/apis/ext.example.com/v1/namespaces/ns/things";

const asked = (target: string, more: Partial<Asked> = {}): Asked => ({
  ...{ method: "GET", target, headers: {}, body: Buffer.alloc(0) },
  ...more,
});

async function answerOf(visit: Visit) {
  const { code, header } = await visit.head;
  const { bytes, whole } = await visit.read();
  return { code, header, text: bytes.toString(), whole };
}

async function setup(
  t: TestContext,
  serve: Serve,
  options: Partial<ProxyOptions> & { readonly upgraded?: Upgraded } = {},
) {
  const backend = await startBackend(t, serve, options.upgraded);
  const gateway = await startGateway(t, { api: apiOf(backend.port), ...options });
  const { origin } = gateway;
  return { backend, ...gateway, ask: (one: Asked) => answerOf(visitHttp1(origin)(one)), visit: visitHttp1(origin) };
}

const echo: Serve = (message, response) => {
  const parts: Buffer[] = [];
  message.on("data", (part: Buffer) => void parts.push(part));
  message.on("end", () =>
    response.setHeader("X-Mine", "yes").end(`${message.method} ${message.url} ${Buffer.concat(parts)}`),
  );
};

test("a request goes on with its path, query and body, and its answer comes back", async (t) => {
  const { ask, backend } = await setup(t, echo);
  const answer = await ask(asked(`${path}?x=1&y=%20`, { method: "POST", body: Buffer.from("{}") }));
  assert.deepEqual([answer.code, answer.text], [200, `POST ${path}?x=1&y=+ {}`]);
  assert.deepEqual([answer.header("x-mine"), answer.header("audit-id")], [["yes"], ["id-1"]]);
  assert.deepEqual(backend.heard[0]?.headers["content-length"], "2");
  assert.equal((await ask(asked("/apis/ext.example.com/v1"))).text, "GET /apis/ext.example.com/v1 ");
  assert.equal((await ask(asked("/apis/ext.example.com/v1/nope"))).text, "GET /apis/ext.example.com/v1/nope ");
});

test("what is served here, and what nobody serves, is not asked for elsewhere", async (t) => {
  const { ask, backend } = await setup(t, echo);
  for (const target of ["/apis/ext.example.com/v2/things", "/apis/apps/v1/nothings", "/apis/ext.example.com"]) {
    assert.equal((await ask(asked(target))).code, 404, target);
  }
  assert.equal(backend.heard.length, 0);
});

test("a group-version that is served here is served here, whatever an APIService says", async (t) => {
  const backend = await startBackend(t, echo);
  const api = { ...apiOf(backend.port), group: "apps" };
  const { origin } = await startGateway(t, { api });
  const answer = await answerOf(visitHttp1(origin)(asked("/apis/apps/v1/nothings")));
  assert.equal(answer.code, 404);
  assert.equal((await answerOf(visitHttp1(origin)(asked("/apis/apps/v1")))).code, 200);
  assert.equal(backend.heard.length, 0);
});

/** What the backend heard of the client and of the gateway. */
const said = (message: IncomingMessage | undefined) => {
  const { host, connection, ...rest } = message?.headersDistinct ?? {};
  assert.match(String(host), /^127\.0\.0\.1:/);
  assert.deepEqual(connection, ["keep-alive"]);
  return rest;
};

const user = {
  "x-remote-user": ["jane"],
  "x-remote-uid": ["7"],
  "x-remote-group": ["all", "dev"],
  "x-remote-extra-example.com%2fa%20b": ["x", "y"],
};

for (const [protocol, visitor] of [
  ["HTTP/1.1", visitHttp1],
  ["HTTP/2", (origin: Origin) => visitHttp2(origin).visit],
] as const) {
  test(`over ${protocol} a server is told of the user and never sees the client's credentials`, async (t) => {
    const { backend, origin } = await setup(t, echo);
    const headers = {
      accept: "application/json",
      "user-agent": "client/1.0",
      authorization: "Bearer secret",
      "x-remote-user": "evil",
      "x-remote-group": "system:masters",
      "x-remote-extra-a": "b",
      "x-forwarded-for": "9.9.9.9",
      "x-forwarded-host": "evil",
      forwarded: "for=1.1.1.1",
      te: "trailers",
      host: "api.example.com",
    };
    const visit = visitor(origin)(asked(`${path}/a?x=1`, { headers }));
    assert.equal((await visit.head).code, 200);
    assert.deepEqual(said(backend.heard[0]), {
      accept: ["application/json"],
      "user-agent": ["client/1.0"],
      "audit-id": ["id-1"],
      "x-forwarded-for": ["9.9.9.9, 127.0.0.1"],
      "x-forwarded-host": ["api.example.com"],
      "x-forwarded-proto": ["https"],
      "x-forwarded-uri": [`${path}/a`],
      ...user,
    });
    visit.leave();
  });
}

const refusals: readonly (readonly [
  what: string,
  serve: Serve,
  options: (port: number) => Partial<ProxyOptions>,
  code: number,
  text: RegExp,
])[] = [
  [
    "is not available",
    echo,
    (port) => ({
      api: apiOf(port, { available: { status: "False", reason: "", message: "", lastTransitionTime: "" } }),
    }),
    503,
    /^service unavailable\n$/,
  ],
  [
    "has no address",
    echo,
    () => ({ proxy: { resolve: () => Promise.reject(new Error("no endpoints")) } }),
    503,
    /^service unavailable\n$/,
  ],
  [
    "has a certificate of somebody else",
    echo,
    (port) => ({ api: apiOf(port, { ca: otherAuthority.certificate }) }),
    503,
    /^error trying to reach service: tls: failed to verify certificate: x509: certificate signed by unknown authority\n$/,
  ],
  [
    "is to be checked by what is no certificate",
    echo,
    (port) => ({ api: apiOf(port, { ca: "AAAA" }) }),
    503,
    /^error trying to reach service: tls: /,
  ],
  [
    "closes the connection",
    (message) => message.socket.destroy(),
    () => ({}),
    503,
    /^error trying to reach service: EOF\n$/,
  ],
  [
    "speaks something else",
    (message) => message.socket.end("ICY 200 OK\r\n\r\n"),
    () => ({}),
    503,
    /^error trying to reach service: /,
  ],
  [
    "does not listen",
    echo,
    () => ({ api: apiOf(1) }),
    503,
    /^error trying to reach service: dial tcp 127\.0\.0\.1:1: connect: connection refused\n$/,
  ],
  ["hangs", () => {}, () => ({ requestTimeoutMs: 50 }), 504, /"reason":"Timeout"/],
];

for (const [what, serve, options, code, text] of refusals) {
  test(`a server that ${what} is answered for with ${code}`, async (t) => {
    const backend = await startBackend(t, serve);
    const { origin } = await startGateway(t, { api: apiOf(backend.port), ...options(backend.port) });
    const answer = await answerOf(visitHttp1(origin)(asked(path)));
    assert.equal(answer.code, code);
    assert.match(answer.text, text);
    if (code !== 504) assert.deepEqual(answer.header("content-type"), ["text/plain; charset=utf-8"]);
  });
}

test("a certificate for another name is told with the names that it is for", async (t) => {
  const backend = await startBackend(t, echo);
  const api = apiOf(backend.port);
  assert.ok(api.remote);
  const remote = { ...api.remote, service: { ...api.remote.service, name: "other" } };
  const { origin } = await startGateway(t, { api: { ...api, remote } });
  const { code, text } = await answerOf(visitHttp1(origin)(asked(path)));
  const why = "tls: failed to verify certificate: x509: certificate is valid for svc.ns.svc, not other.ns.svc";
  assert.deepEqual([code, text], [503, `error trying to reach service: ${why}\n`]);
});

test("a certificate is not looked at where its APIService says so", async (t) => {
  const backend = await startBackend(t, echo);
  const { origin } = await startGateway(t, { api: apiOf(backend.port, { ca: "", insecure: true }) });
  assert.equal((await answerOf(visitHttp1(origin)(asked(path)))).code, 200);
});

for (const hideRedirects of [true, false]) {
  test(`a redirect is not followed, and ${hideRedirects ? "leads nobody away" : "is passed on where the flag says so"}`, async (t) => {
    const elsewhere = await startBackend(t, echo);
    const location = `https://127.0.0.1:${elsewhere.port}/`;
    const serve: Serve = (_message, response) => void response.writeHead(302, { Location: location }).end();
    const { ask } = await setup(t, serve, { proxy: { hideRedirects } });
    const answer = await ask(asked(path));
    assert.deepEqual([answer.code, answer.text], [302, ""]);
    assert.deepEqual(answer.header("location"), hideRedirects ? [] : [location]);
    assert.equal(elsewhere.heard.length, 0);
  });
}

test("what is of one connection does not pass, and what a server says of caching stands once", async (t) => {
  const { ask } = await setup(t, (_message, response) => {
    const headers = {
      Connection: "keep-alive, X-Hop",
      "X-Hop": "1",
      "Keep-Alive": "timeout=1",
      "cache-control": "no-store",
    };
    response.writeHead(200, {
      ...headers,
      "Audit-Id": "theirs",
      "Retry-After": "3",
      "Access-Control-Allow-Origin": "*",
    });
    response.end("x");
  });
  const { header } = await ask(asked(path));
  assert.deepEqual([header("x-hop"), header("access-control-allow-origin")], [[], []]);
  assert.deepEqual(
    [header("cache-control"), header("audit-id"), header("retry-after")],
    [["no-store"], ["id-1"], ["3"]],
  );
});

test("an answer that breaks off is cut, so that half of it does not look whole", async (t) => {
  const { ask } = await setup(t, (message, response) => {
    response.write("half", () => message.socket.destroy());
  });
  const { code, text, whole } = await ask(asked(path));
  assert.deepEqual([code, text, whole], [200, "half", false]);
});

test("a watch comes event by event and ends its request when its client leaves", async (t) => {
  let left = (): void => {};
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  const { visit } = await setup(
    t,
    (message, response) => {
      message.socket.once("close", left);
      response.write("one\n");
    },
    // The time limit of other requests is none of a watch.
    { requestTimeoutMs: 1 },
  );
  const watch = visit(asked(`${path}?watch=true`));
  assert.equal((await watch.head).code, 200);
  watch.leave();
  await gone;
});

test("a stop ends what would last for ever", async (t) => {
  const { visit, openWatches } = await setup(t, (_message, response) => void response.write("one\n"));
  const watch = visit(asked(`${path}?watch=true`));
  await watch.head;
  for (const end of [...openWatches]) end();
  assert.equal((await watch.read()).bytes.toString(), "one\n");
  assert.equal(openWatches.size, 0);
});

test("a client that does not read holds the server back", async (t) => {
  const mebibyte = Buffer.alloc(1 << 20);
  let written = 0;
  let isOver = false;
  const { visit } = await setup(t, async (message, response) => {
    const closed = once(message.socket, "close").then(() => {
      isOver = true;
    });
    while (!isOver && written < 512) {
      const more = response.write(mebibyte);
      written++;
      if (!more) await Promise.race([once(response, "drain"), closed]);
    }
  });
  const flood = visit(asked(`${path}?watch=true`));
  await flood.head;
  let before = -1;
  while (before !== written) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.ok(written < 100, `${written} MiB were taken of a client that reads nothing`);
  flood.leave();
});

test("a body goes on as it comes", async (t) => {
  const heard: string[] = [];
  let first = (): void => {};
  const came = new Promise<void>((resolve) => {
    first = resolve;
  });
  const { origin } = await setup(t, (message, response) => {
    message.on("data", (part: Buffer) => {
      heard.push(part.toString());
      first();
    });
    message.on("end", () => response.end(heard.join("|")));
  });
  const upload = request({ ...origin, method: "POST", path, agent: false });
  upload.write("one");
  await came;
  upload.end("two");
  const [response]: IncomingMessage[] = await once(upload, "response");
  assert.equal(String(Buffer.concat((await response?.toArray()) ?? [])), "one|two");
});

test("over HTTP/2 a body that is shorter than it says ends its own request and no other", async (t) => {
  const { origin, backend } = await setup(t, echo);
  const visit = visitHttp2(origin).visit;
  const headers = { "content-length": "100" };
  const liar = visit(asked(path, { method: "POST", headers, body: Buffer.from("{}") }));
  // The protocol's own library may see through it already.
  await answerOf(liar).catch(() => {});
  assert.equal((await answerOf(visit(asked(`${path}/a`)))).text, `GET ${path}/a `);
  for (const { headers: heard } of backend.heard) assert.equal(heard["content-length"], undefined);
});

test("a body that is cut does not look whole to the server", async (t) => {
  let aborted = (): void => {};
  const cut = new Promise<void>((resolve) => {
    aborted = resolve;
  });
  let ended = 0;
  const { origin, backend } = await setup(t, (message) => {
    message
      .once("end", () => ended++)
      .once("close", aborted)
      .on("error", () => {});
    message.resume();
  });
  const visitors = [visitHttp1, (of: Origin) => visitHttp2(of).visit];
  for (const [i, visitor] of visitors.entries()) {
    const visit = visitor(origin)(asked(path, { method: "POST", body: Buffer.from("half"), missing: 4 }));
    visit.head.catch(() => {});
    while (backend.heard.length <= i) await new Promise((resolve) => setImmediate(resolve));
    visit.leave();
  }
  await cut;
  assert.equal(ended, 0);
});

test("a request that goes round in a circle ends", async (t) => {
  const { ask, backend } = await setup(t, echo);
  const passed = (hops: number) => ({ "x-forwarded-for": Array.from({ length: hops }, () => "10.0.0.1").join(", ") });
  assert.equal((await ask(asked(path, { headers: passed(16) }))).code, 200);
  assert.equal((await ask(asked(path, { headers: passed(17) }))).code, 508);
  assert.equal(backend.heard.length, 1);
});

test("connections are used again", async (t) => {
  const ports = new Set<number | undefined>();
  const { ask } = await setup(t, (message, response) => {
    ports.add(message.socket.remotePort);
    response.end("yes");
  });
  for (let i = 0; i < 10; i++) await ask(asked(path));
  assert.equal(ports.size, 1);
});

test("a server that answers before it has read the body is heard", async (t) => {
  const { visit } = await setup(t, (_message, response) => void response.writeHead(413).end("too large"));
  const { code, text } = await answerOf(visit(asked(path, { method: "POST", body: Buffer.alloc(1 << 20) })));
  assert.deepEqual([code, text], [413, "too large"]);
});

test("a connection that its server closes while it is idle loses no request", async (t) => {
  const { ask, backend } = await setup(t, (message, response) => {
    response.end("yes", () => setImmediate(() => message.socket.destroy()));
  });
  for (let i = 0; i < 20; i++) assert.equal((await ask(asked(path))).text, "yes");
  assert.ok(backend.heard.length >= 20);
});

/** A client that asks to go on in another protocol, and what it reads. */
async function upgrade(t: TestContext, { host, port, ca, servername }: Origin, headers: readonly string[]) {
  const socket = connect({ host, port, ca, servername });
  t.after(() => socket.destroy());
  await once(socket, "secureConnect");
  let text = "";
  socket.on("data", (part: Buffer) => {
    text += part.toString("latin1");
  });
  socket.on("error", () => {});
  const lines = [`GET ${path}/a/exec HTTP/1.1`, "Host: x", "Connection: Upgrade", ...headers];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(text)) await Promise.race([once(socket, "data"), once(socket, "close")]);
  };
  return { socket, until, text: () => text };
}

test("another protocol passes through in both directions, and its tokens do not", async (t) => {
  const { backend, origin } = await setup(t, echo, {
    upgraded: (_message, socket, head) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nhello${head}`);
      socket.on("data", (part: Buffer) => void socket.write(part.toString().toUpperCase()));
    },
  });
  const { socket, until, text } = await upgrade(t, origin, [
    "Upgrade: SPDY/3.1",
    "Sec-WebSocket-Protocol: token.c2VjcmV0, v4.channel.k8s.io",
    "Authorization: Bearer secret",
  ]);
  await until(/hello/);
  assert.match(text(), /^HTTP\/1\.1 101 Switching Protocols\r\n/);
  assert.match(text(), /^Audit-Id: id-1\r$/m);
  socket.write("ping");
  await until(/PING/);
  const { headers } = backend.heard[0] ?? {};
  assert.deepEqual(
    [headers?.upgrade, headers?.connection, headers?.["x-remote-user"]],
    ["SPDY/3.1", "Upgrade", "jane"],
  );
  assert.deepEqual([headers?.["sec-websocket-protocol"], headers?.authorization], ["v4.channel.k8s.io", undefined]);
  const closed = once(backend.heard[0]?.socket ?? socket, "close");
  socket.destroy();
  await closed;
});

test("a server that does not go on in another protocol is heard", async (t) => {
  const { origin } = await setup(t, echo, {
    upgraded: (_message, socket) => {
      socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
    },
  });
  const { socket, text } = await upgrade(t, origin, ["Upgrade: websocket", "Sec-WebSocket-Version: 13"]);
  await once(socket, "close");
  assert.match(text(), /^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*\r\n\r\nno$/);
});

test("a server that changes the protocol unasked is answered for with 502", async (t) => {
  const { ask } = await setup(t, (message) => {
    message.socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  });
  assert.equal((await ask(asked(path))).code, 502);
});
