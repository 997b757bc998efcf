import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import { dialDirectly } from "@orch/outbound/dial.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import { watchCacheGet } from "@orch/rpc/methods.js";
import { notFound } from "@orch/status/api-error.js";
import { secretHeaders } from "../aggregation/passed-headers.js";
import { authority, type Backend, type Serve, startBackend, type Upgraded } from "../aggregation/testing/backend.js";
import { until } from "../aggregation/testing/cluster.js";
import { createUpstream } from "../aggregation/upstream.js";
import type { Asked } from "../http/exchange.suite.js";
import { visitHttp1 } from "../testing/clients/http1.js";
import { visitHttp2 } from "../testing/clients/http2.js";
import { type Origin, serverFor } from "../testing/clients/server.js";
import { testGateway } from "../testing/gateway.js";
import type { AdmitConnection } from "./admit-connection.js";
import { createListeners } from "./listeners.js";
import { createNodeWay } from "./node-way.js";
import { coreObjects } from "./objects.js";
import { createOpenConnections } from "./open-connections.js";

interface Options {
  readonly upgraded?: Upgraded;
  readonly ca?: string;
  readonly besideConsole?: boolean;
  /** As many as one likes where absent. */
  readonly connections?: number;
  /** Everything as it is where absent. */
  readonly admit?: AdmitConnection;
  /** By `pods/ns/p`, besides those of every test. */
  readonly objects?: Readonly<Record<string, object>>;
}

const podOf = (name: string, spec: object, status: object = {}) => ({
  metadata: { name, namespace: "ns" },
  spec: { containers: [{ name: "c" }], ...spec },
  status,
});

/** A gateway with the pod `p` on the node `n`, whose agent is this machine's. Connections to 10.0.0.1 lead there, too. */
async function setup(t: TestContext, serve: Serve, options: Options = {}) {
  const backend = await startBackend(t, serve, options.upgraded);
  const address = { type: "InternalIP", address: "127.0.0.1" };
  const daemonEndpoints = { kubeletEndpoint: { Port: backend.port } };
  const objects: Readonly<Record<string, object>> = {
    "pods/ns/p": podOf("p", { nodeName: "n" }),
    "pods/ns/waiting": podOf("waiting", {}),
    "pods/ns/near": podOf("near", { nodeName: "n" }, { podIP: "127.0.0.1" }),
    "pods/ns/web": podOf("web", { nodeName: "n" }, { podIPs: [{ ip: "10.0.0.1" }] }),
    "pods/ns/nowhere": podOf("nowhere", { nodeName: "bare" }),
    "pods/ns/lost": podOf("lost", { nodeName: "gone" }),
    "pods/ns/odd": podOf("odd", { nodeName: "odd" }),
    "nodes//n": { metadata: { name: "n" }, status: { addresses: [address], daemonEndpoints } },
    "nodes//far": {
      metadata: { name: "far" },
      status: { addresses: [{ type: "InternalIP", address: "10.0.0.1" }], daemonEndpoints },
    },
    "nodes//named": {
      metadata: { name: "named" },
      status: { addresses: [{ type: "Hostname", address: "svc.ns.svc" }], daemonEndpoints },
    },
    "pods/ns/named": podOf("named", { nodeName: "named" }),
    "nodes//odd": {
      metadata: { name: "odd" },
      status: { addresses: [address], daemonEndpoints: { kubeletEndpoint: { Port: 70_000 } } },
    },
    "nodes//bare": { metadata: { name: "bare" }, status: {} },
  };
  const { services, caller } = createInProcess();
  services.unary(watchCacheGet, ({ resource, namespace, name }) => {
    const key = `${resource}/${namespace}/${name}`;
    const found = options.objects?.[key] ?? objects[key];
    if (found === undefined) throw notFound({ group: "", resource }, name);
    return { body: Buffer.from(JSON.stringify(found)) };
  });
  const dialed: string[] = [];
  const dial: typeof dialDirectly = ({ host, port }, signal) => {
    dialed.push(host);
    return dialDirectly({ host: "127.0.0.1", port }, signal);
  };
  const listeners = createListeners({
    agents: createUpstream({ dial, pair: () => undefined }),
    others: createUpstream({ dial, pair: () => undefined }),
    agentCa: () => options.ca ?? "",
  });
  const counted: string[] = [];
  const openWatches = new Set<() => void>();
  const gateway = testGateway({
    caches: () => caller,
    nodeWay: createNodeWay({
      ...{ listeners, openWatches, tokenProtocol: "token.", userAgent: "gateway" },
      ...{ choosesLogStream: false, besideConsole: options.besideConsole ?? false },
      objects: coreObjects(() => caller, 1_000),
      openConnections: createOpenConnections(options.connections ?? 0),
      admit: options.admit ?? (async (_call, _target, given) => ({ options: given, warnings: [] })),
      agents: { preferred: ["Hostname", "InternalIP"], port: 10_250 },
      secret: secretHeaders([], []),
      random: () => 0,
      lookUp: async () => ["10.0.0.1"],
      metrics: {
        logAsked: (insecure) => void counted.push(insecure ? "unchecked" : "checked"),
        distrusted: () => void counted.push("distrusted"),
      },
    }),
  });
  const { origin, close } = await serverFor(gateway.serve);
  t.after(async () => {
    listeners.close();
    await close();
  });
  const ask = async (target: string, more: Partial<Asked> = {}) => {
    const { head, read } = visitHttp1(origin)({ method: "GET", target, headers: {}, body: Buffer.alloc(0), ...more });
    const { code, header } = await head;
    const { bytes, whole } = await read();
    return { code, header, text: bytes.toString(), whole };
  };
  return { backend, origin, ask, counted, openWatches, gateway, dialed };
}

const pods = "/api/v1/namespaces/ns/pods";
const echo: Serve = (message, response) => response.setHeader("X-Mine", "yes").end(`${message.method} ${message.url}`);
const messageIn = (text: string): string => String(JSON.parse(text).message);

test("a log is asked of the agent of the pod's node, and is text whatever the agent says", async (t) => {
  const { ask, backend, counted, gateway } = await setup(t, (message, response) => {
    response
      .setHeader("Content-Type", "text/html")
      .setHeader("Set-Cookie", "x")
      .end(`${message.method} ${message.url}`);
  });
  const headers = { accept: "application/yaml", authorization: "Bearer secret", cookie: "mine" };
  const answer = await ask(`${pods}/p/log?follow=true&tailLines=5`, { headers });
  assert.equal(answer.text, "GET /containerLogs/ns/p/c?follow=true&tailLines=5");
  assert.deepEqual(
    [answer.code, answer.header("content-type"), answer.header("set-cookie"), answer.header("x-mine")],
    [200, ["text/plain"], [], []],
  );
  const { authorization, cookie, "user-agent": agent } = backend.heard[0]?.headers ?? {};
  assert.deepEqual([authorization, cookie, agent], [undefined, undefined, "gateway"]);
  assert.equal((await ask(`${pods}/p/log?insecureSkipTLSVerifyBackend=true`)).code, 200);
  assert.deepEqual(counted, ["checked", "unchecked"]);
  const { verb, resource, subresource, scope } = gateway.observed[0] ?? {};
  assert.deepEqual([verb, resource, subresource, scope], ["CONNECT", "pods", "log", "resource"]);
});

test("a user who has as many connections open as is allowed gets no other until one is closed", async (t) => {
  const { ask, origin, backend, openWatches } = await setup(
    t,
    (_message, response) => void response.write("a line\n"),
    {
      connections: 2,
    },
  );
  const follow = async () => {
    const log = visitHttp1(origin)({
      ...{ method: "GET", target: `${pods}/p/log?follow=true`, headers: {}, body: Buffer.alloc(0) },
    });
    assert.equal((await log.head).code, 200);
    return log;
  };
  const first = await follow();
  await follow();
  const refusal = await ask(`${pods}/p/log`);
  assert.deepEqual([refusal.code, refusal.header("retry-after")], [429, ["1"]]);
  assert.equal(messageIn(refusal.text), "too many connections to nodes are open: a user may have 2 at once");
  assert.equal(backend.heard.length, 2);
  first.leave();
  await until(() => openWatches.size === 1);
  await follow();
});

const refused: readonly [path: string, method: string, code: number, message: RegExp | string][] = [
  [`${pods}/absent/log`, "GET", 404, 'pods "absent" not found'],
  [`${pods}/p/log?container=x`, "GET", 400, "container x is not valid for pod p"],
  [`${pods}/p/log?tailLines=-1`, "GET", 422, /tailLines: Invalid value: -1/],
  [`${pods}/p/log`, "POST", 405, /not allow this method/],
  [`${pods}/lost/log`, "GET", 404, 'nodes "gone" not found'],
  [`${pods}/nowhere/log`, "GET", 500, "no preferred addresses found; known addresses: []"],
  [`${pods}/absent/exec`, "POST", 404, 'pods "absent" not found'],
  [`${pods}/p/exec?command=a`, "POST", 400, "Upgrade request required"],
  [`${pods}/p/attach`, "GET", 400, "Upgrade request required"],
  [`${pods}/p/portforward`, "GET", 400, "Upgrade request required"],
  [`${pods}/p/exec?dryRun=All`, "POST", 400, "dryRun is not supported"],
  [`${pods}/p/exec`, "PUT", 405, /not allow this method/],
  [`${pods}/waiting/exec`, "POST", 400, "pod waiting does not have a host assigned"],
  [`${pods}/waiting/portforward`, "POST", 400, "pod waiting does not have a host assigned"],
  [`${pods}/near/proxy/`, "GET", 400, "address not allowed"],
  [`${pods}/p/proxy/`, "GET", 400, "address not allowed"],
  [`${pods}/ftp:web:1/proxy/`, "GET", 400, 'invalid pod request "ftp:web:1"'],
  [`${pods}/web:http/proxy/`, "GET", 503, /unknown port/],
  [`${pods}/web:0/proxy/`, "GET", 503, /unknown port/],
  [`${pods}/web:0x1/proxy/`, "GET", 503, /address 0x1: unknown port/],
  [`${pods}/web:1e0/proxy/`, "GET", 503, /address 1e0: unknown port/],
  [`${pods}/web:70000/proxy/`, "GET", 503, /address 70000: unknown port/],
  [`${pods}/odd/log`, "GET", 500, "dial tcp: address 70000: invalid port"],
  [`${pods}/odd/exec`, "POST", 500, "dial tcp: address 70000: invalid port"],
  [`${pods}/web:1/proxy/`, "GET", 503, /^error trying to reach service: dial tcp .*connection refused$/],
  ["/api/v1/nodes/absent/proxy/", "GET", 404, 'nodes "absent" not found'],
  ["/api/v1/nodes/n/proxy/", "GET", 400, "address not allowed"],
  ["/api/v1/nodes/n:1:2:3/proxy/", "GET", 400, 'invalid node request "n:1:2:3"'],
  ["/api/v1/namespaces/ns/services/s/proxy/", "GET", 404, 'endpoints "s" not found'],
  ["/api/v1/namespaces/ns/services/s:80/proxy/", "GET", 404, 'services "s" not found'],
  ["/api/v1/nodes/far/proxy/../../x", "GET", 404, /.*/],
];
test("what cannot be asked is refused in the reference's words", async (t) => {
  const { ask, backend } = await setup(t, echo);
  for (const [path, method, code, message] of refused) {
    const answer = await ask(path, { method });
    const told = messageIn(answer.text);
    assert.equal(answer.code, code, `${method} ${path}: ${answer.text}`);
    if (typeof message === "string") assert.equal(told, message);
    else assert.match(told, message);
  }
  assert.deepEqual(backend.heard, []);
});

test("the log of a pod that has no node yet is none", async (t) => {
  const { ask } = await setup(t, echo);
  const { code, text } = await ask(`${pods}/waiting/log`);
  assert.deepEqual([code, text], [204, ""]);
});

test("an agent's refusal of a log is told by its code", async (t) => {
  let code = 0;
  const { ask } = await setup(t, (_message, response) => void response.writeHead(code).end("why"));
  for (const [told, answered, message] of [
    [400, 400, "why"],
    [404, 404, "the server could not find the requested resource ( pods/log p)"],
    [403, 403, "why ( pods/log p)"],
    [500, 500, "Internal error occurred: why"],
    [502, 502, 'an error on the server ("why") has prevented the request from succeeding ( pods/log p)'],
    [503, 503, "the server is currently unable to handle the request ( pods/log p)"],
    [302, 500, /pods\/log p/],
  ] as const) {
    code = told;
    const answer = await ask(`${pods}/p/log`);
    assert.equal(answer.code, answered);
    if (typeof message === "string") assert.equal(messageIn(answer.text), message);
  }
});

test("an agent whose certificate nobody has signed is asked only for logs that may come from anybody", async (t) => {
  const { ask, counted, backend } = await setup(t, echo, { ca: authority.certificate });
  const { code, text } = await ask(`${pods}/p/log`);
  assert.deepEqual([code, JSON.parse(text).reason], [500, undefined]);
  assert.match(messageIn(text), /^Get "https:\/\/127\.0\.0\.1:\d+\/containerLogs\/ns\/p\/c": tls: .*x509: /);
  assert.deepEqual([counted, backend.heard.length], [["checked", "distrusted"], 0]);
  assert.equal((await ask(`${pods}/p/log?insecureSkipTLSVerifyBackend=1`)).code, 200);
});

test("a proxy passes on method, path, query, headers and body, and redirects lead through it again", async (t) => {
  const { ask, backend } = await setup(t, (message, response) => {
    if (message.url?.startsWith("/away") === true) response.writeHead(302, { Location: "/there?x" }).end();
    else echo(message, response);
  });
  const far = `/api/v1/nodes/far:${backend.port}/proxy`;
  const headers = { authorization: "Bearer secret", "x-remote-user": "root", "x-own": "1" };
  const answer = await ask(`${far}/a//b%2Fc/?q=%20&watch=true`, { method: "PATCH", headers, body: Buffer.from("{}") });
  assert.deepEqual([answer.code, answer.text], [200, "PATCH /a/b%2Fc/?q=%20&watch=true"]);
  assert.deepEqual(answer.header("x-mine"), ["yes"]);
  const heard = backend.heard[0]?.headers ?? {};
  const { authorization, "x-remote-user": user, "x-own": own, "x-forwarded-uri": uri, host } = heard;
  assert.deepEqual([authorization, user, own, uri], [undefined, undefined, "1", `${far}/a//b%2Fc/`]);
  assert.match(String(host), /^127\.0\.0\.1:\d+$/, "the host that the client has asked for");
  const away = await ask(`${far}/away`);
  assert.deepEqual([away.code, away.header("location")], [302, [`${far}/there?x`]]);
  const bare = await ask(`${far}?x=1`);
  assert.deepEqual([bare.code, bare.header("location")], [301, [`${far}/?x=1`]]);
  assert.equal((await ask(far, { method: "DELETE" })).text, "DELETE /");
  assert.equal((await ask(`${far}/o`, { method: "OPTIONS" })).text, "OPTIONS /o");
});

test("the address of a node's name that was judged is the one that is asked, whose certificate has that name", async (t) => {
  const { ask, dialed } = await setup(t, echo, { ca: authority.certificate });
  assert.equal((await ask(`${pods}/named/log`)).code, 200);
  assert.deepEqual(dialed.splice(0), ["svc.ns.svc"], "an agent is trusted to be anywhere");
  for (const path of ["/pods", "/x"]) {
    const { code, text } = await ask(`/api/v1/nodes/named/proxy${path}`);
    assert.equal(code, 200, text);
  }
  assert.deepEqual(dialed, ["10.0.0.1"], "no connection to what was not judged is used");
});

test("a Service's proxy asks an endpoint that is a pod of its namespace", async (t) => {
  const ref = (name: string, namespace = "ns") => ({ kind: "Pod", name, namespace });
  const subsetOf = (port: number, ...addresses: object[]) => ({ addresses, ports: [{ name: "web", port }] });
  const objects: Record<string, object> = {
    "services/ns/s": { metadata: { name: "s" }, spec: { ports: [{ name: "web", port: 80 }] } },
  };
  const { ask, backend } = await setup(t, echo, { objects });
  const { port } = backend;
  const services = "/api/v1/namespaces/ns/services";
  const endpoints = (...subsets: object[]): void => {
    objects["endpoints/ns/s"] = { metadata: { name: "s" }, subsets };
  };
  for (const [what, subsets, id, code, message] of [
    ["none", [], "s:80", 503, 'no endpoints available for service "s"'],
    [
      "of nobody",
      [subsetOf(port, { ip: "10.0.0.1" })],
      "https:s:80",
      503,
      'no endpoints available for service "https:s:80"',
    ],
    ["of another namespace", [subsetOf(port, { ip: "10.0.0.1", targetRef: ref("web", "x") })], "s:80", 503, ""],
    ["of another address", [subsetOf(port, { ip: "10.0.0.2", targetRef: ref("web") })], "s:80", 503, ""],
    ["of this machine", [subsetOf(port, { ip: "127.0.0.1", targetRef: ref("near") })], "s:80", 503, ""],
    ["of another port", [subsetOf(port, { ip: "10.0.0.1", targetRef: ref("web") })], "s:x", 503, ""],
    ["unknown port", [], "s:81", 503, 'no service port 81 found for service "s"'],
    ["good by number", [subsetOf(port, { ip: "10.0.0.1", targetRef: ref("web") })], "https:s:80", 200, ""],
    ["good by name", [subsetOf(port, { ip: "10.0.0.1", targetRef: ref("web") })], "https:s:web", 200, ""],
  ] as const) {
    endpoints(...subsets);
    const answer = await ask(`${services}/${id}/proxy/x`);
    assert.equal(answer.code, code, `${what}: ${answer.text}`);
    if (message !== "") assert.equal(messageIn(answer.text), message, what);
  }
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function upgrade(origin: Origin, path: string, headers: Readonly<Record<string, string>> = {}) {
  const { host, port, ca, servername } = origin;
  const asked = request({
    ...{ host, port, ca, servername, path, method: "POST", agent: false },
    headers: { Connection: "Upgrade", Upgrade: "SPDY/3.1", ...headers },
  });
  asked.end();
  return await new Promise<{ message: IncomingMessage; socket?: Duplex }>((resolve, reject) => {
    asked.once("upgrade", (message, socket) => resolve({ message, socket }));
    asked.once("response", (message) => resolve({ message }));
    asked.once("error", reject);
  });
}

const accepting: Upgraded = (message, socket) => {
  socket.on("error", () => {});
  socket.allowHalfOpen = true;
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${message.headers.upgrade}\r\n\r\n`,
  );
  socket.pipe(socket);
};

test("another protocol goes through byte by byte, with an end on either side", async (t) => {
  const { origin, backend, openWatches } = await setup(t, echo, { upgraded: accepting });
  const { message, socket } = await upgrade(origin, `${pods}/p/exec?command=a&stdin=1`, { "X-Stream": "v4" });
  assert.deepEqual([message.statusCode, message.headers.upgrade], [101, "SPDY/3.1"]);
  assert.ok(socket);
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 256));
  const came: Buffer[] = [];
  socket.on("data", (part: Buffer) => void came.push(part));
  socket.write(bytes);
  const { url, headers, method } = backend.heard[0] ?? {};
  assert.deepEqual(
    [method, url, headers?.["x-stream"]],
    ["POST", "/exec/ns/p/c?command=a&error=1&input=1&output=1", "v4"],
  );
  socket.end();
  await once(socket, "close");
  assert.ok(Buffer.concat(came).equals(bytes), `${Buffer.concat(came).length} bytes came back`);
  while (openWatches.size > 0) await turn();
});

test("a connection ends for both sides when the server leaves", async (t) => {
  const { origin, openWatches } = await setup(t, echo, { upgraded: accepting });
  const { socket } = await upgrade(origin, `${pods}/p/attach`);
  assert.ok(socket);
  socket.resume();
  for (const end of openWatches) end();
  await once(socket, "close");
  assert.equal(socket.readableEnded, true, "it reads an end");
});

test("a client sees when an agent dies, and an agent when a client does", async (t) => {
  let atAgent: Duplex | undefined;
  const upgraded: Upgraded = (message, socket, head) => {
    atAgent = socket;
    accepting(message, socket, head);
  };
  const { origin } = await setup(t, echo, { upgraded });
  const first = await upgrade(origin, `${pods}/p/exec`);
  first.socket?.resume().on("error", () => {});
  atAgent?.destroy();
  assert.ok(first.socket);
  await once(first.socket, "close");
  const second = await upgrade(origin, `${pods}/p/exec`);
  assert.ok(second.socket && atAgent);
  const gone = once(atAgent, "close");
  second.socket.on("error", () => {}).destroy();
  await gone;
});

test("an agent that does not change the protocol is heard, if it refuses", async (t) => {
  let code = 403;
  const { origin } = await setup(t, echo, {
    upgraded: (_message, socket) => socket.end(`HTTP/1.1 ${code} No\r\nContent-Length: 3\r\n\r\nwhy`),
  });
  const refusal = await upgrade(origin, `${pods}/p/exec`);
  assert.deepEqual([refusal.message.statusCode, String(await refusal.message.toArray())], [403, "why"]);
  code = 200;
  const strange = await upgrade(origin, `${pods}/p/exec`);
  assert.equal(strange.message.statusCode, 500);
  const text = String(Buffer.concat(await strange.message.toArray()));
  assert.equal(messageIn(text), "invalid upgrade response: status code 200");
});

test("over HTTP/2 nothing is upgraded, and logs and proxies are as ever", async (t) => {
  const { origin, backend } = await setup(t, echo);
  const { visit, close } = visitHttp2(origin);
  t.after(() => close());
  const ask = async (target: string, method = "GET") => {
    const { head, read } = visit({ method, target, headers: {}, body: Buffer.alloc(0) });
    return `${(await head).code} ${(await read()).bytes}`;
  };
  assert.equal(await ask(`${pods}/p/log`), "200 GET /containerLogs/ns/p/c");
  assert.equal(await ask(`/api/v1/nodes/far/proxy/x`), "200 GET /x");
  assert.match(await ask(`${pods}/p/exec`, "POST"), /^400 .*Upgrade request required/s);
  assert.match(String(backend.heard[1]?.headers.host), /\S/);
});

test("an agent that is not there is told of", async (t) => {
  const { origin, ask } = await setup(t, echo, {
    objects: {
      "nodes//n": {
        metadata: { name: "n" },
        status: {
          addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
          daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
        },
      },
    },
  });
  const { message } = await upgrade(origin, `${pods}/p/exec`);
  const text = String(Buffer.concat(await message.toArray()));
  assert.deepEqual(
    [message.statusCode, messageIn(text)],
    [500, "error dialing backend: dial tcp 127.0.0.1:1: connect: connection refused"],
  );
  assert.match(messageIn((await ask(`${pods}/p/log`)).text), /^Get "https:\/\/127.0.0.1:1\/.*": dial tcp .* refused$/);
});

/** The agent has heard of it: what was read before is there, and no patience with that is at stake. */
async function untilHeard({ heard }: Pick<Backend, "heard">): Promise<void> {
  while (heard.length === 0) await turn();
}

/** Patience of `ms` is over as soon as somebody has it: the clock of timers is the test's. */
async function patienceOver(t: TestContext, ms: number, until: Promise<unknown>): Promise<void> {
  let over = false;
  void until.then(() => {
    over = true;
  });
  while (!over) {
    await turn();
    t.mock.timers.tick(ms);
  }
}

test("an agent that says nothing to a change of the protocol is not waited for", async (t) => {
  const { origin, openWatches, backend } = await setup(t, echo, { upgraded: () => {} });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const answer = upgrade(origin, `${pods}/p/exec`);
  await untilHeard(backend);
  await patienceOver(t, 60_000, answer);
  const { message } = await answer;
  const status = JSON.parse(String(Buffer.concat(await message.toArray())));
  assert.deepEqual(
    [message.statusCode, status.reason, status.message],
    [504, "Timeout", "error dialing backend: no answer in time"],
  );
  assert.equal(openWatches.size, 0);
});

test("a refusal without an end is cut", async (t) => {
  const begun = "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n";
  const refuse: Serve = (_message, response) => void response.writeHead(500).write("x");
  const { origin, ask, backend } = await setup(t, refuse, { upgraded: (_message, socket) => socket.write(begun) });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const log = ask(`${pods}/p/log`);
  await untilHeard(backend);
  await patienceOver(t, 10_000, log);
  const { code, text } = await log;
  assert.deepEqual([code, messageIn(text)], [500, "Internal error occurred: x"]);
  const { message } = await upgrade(origin, `${pods}/p/exec`);
  const told = message.toArray();
  await patienceOver(t, 10_000, told);
  assert.deepEqual([message.statusCode, String(Buffer.concat(await told))], [500, "x"]);
});

test("an answer that no answer can be is one of a server that is not reached", async (t) => {
  let code = "";
  const serve: Serve = (message) => message.socket.end(`HTTP/1.1 ${code} X\r\nContent-Length: 0\r\n\r\n`);
  const { ask, gateway } = await setup(t, serve);
  for (code of ["000", "099", "101"]) {
    const answer = await ask("/api/v1/nodes/far/proxy/x");
    const message = `error trying to reach service: malformed HTTP response: status code ${Number(code)}`;
    assert.deepEqual([answer.code, messageIn(answer.text)], [503, message]);
  }
  assert.deepEqual(gateway.faults, []);
});

test("a connection on which nothing moves ends", async (t) => {
  let atAgent: Duplex | undefined;
  const upgraded: Upgraded = (message, socket, head) => {
    accepting(message, socket, head);
    // It does not read, and hears of no end.
    atAgent = socket.unpipe().pause();
  };
  const { origin, openWatches } = await setup(t, echo, { upgraded });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { socket } = await upgrade(origin, `${pods}/p/exec`);
  assert.ok(socket && atAgent);
  const ended = once(socket.resume(), "close");
  await patienceOver(t, 4 * 60 * 60_000, ended);
  while (openWatches.size > 0) await turn();
});

test("a program's page has the origin of nobody where the console is served, and says nothing of the server", async (t) => {
  const spoken = { "Strict-Transport-Security": "max-age=1", "Service-Worker-Allowed": "/", "Clear-Site-Data": '"*"' };
  const own = "default-src *";
  const serve: Serve = (_message, response) =>
    response.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": own, ...spoken }).end();
  const policies: (readonly string[])[] = [];
  for (const besideConsole of [true, false]) {
    const { ask } = await setup(t, serve, { besideConsole });
    for (const path of ["/api/v1/nodes/far/proxy/", `${pods}/p/log`]) {
      const { code, header } = await ask(path);
      assert.equal(code, 200);
      policies.push(header("content-security-policy"));
      for (const name of Object.keys(spoken)) assert.deepEqual(header(name.toLowerCase()), [], `${name} of ${path}`);
    }
  }
  const sandbox = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts";
  assert.deepEqual(policies, [[own, sandbox], [], [own], []]);
});
