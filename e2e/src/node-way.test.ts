import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Duplex } from "node:stream";
import { after, before, describe, type TestContext, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { ensurePki } from "@orch/service-standalone/pki/pki.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { WebSocket, WebSocketServer } from "ws";
import { type Credentials, connect, type Http } from "./harness/http.js";
import { outward } from "./harness/outward.js";
import { type NodeAgent, startNodeAgent } from "./harness/servers/node-agent.js";
import { newFolder, removeFolder, type StandaloneTarget, startDistributed, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

// What only a node answers, by an agent of the test's own that really streams.

const pods = "/api/v1/namespaces/default/pods";
const protocol = "v5.channel.k8s.io";

describe("the way to nodes", () => {
  let folder = "";
  let target: StandaloneTarget;
  let http: Http;
  let agent: NodeAgent;

  before(async () => {
    folder = await newFolder();
    const pki = await ensurePki(folder, { tlsSans: [], clock: { now: Date.now }, naming: createNaming("kubernetes") });
    const args = [
      ...["--kubelet-preferred-address-types=InternalIP", `--kubelet-certificate-authority=${pki.paths.ca}`],
      "--disable-admission-plugins=ServiceAccount",
    ];
    target = await startStandalone({ dataDir: folder, args });
    http = connect(target);
    agent = await startNodeAgent(pki);
    await node("n", "127.0.0.1");
    if (outward !== undefined) await node("far", outward);
    await pod("p", { nodeName: "n" });
    await pod("waiting", {});
  });
  after(async () => {
    http?.close();
    await agent?.close();
    await target?.stop();
    await removeFolder(folder);
  });

  async function made(path: string, object: object): Promise<void> {
    const { status, text } = await http.post(path, object);
    assert.equal(status, 201, text);
  }

  async function node(name: string, address: string): Promise<void> {
    await made("/api/v1/nodes", { metadata: { name } });
    const status = {
      addresses: [{ type: "InternalIP", address }],
      daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
    };
    const answer = await http.patch(`/api/v1/nodes/${name}/status`, "merge", { status });
    assert.equal(answer.status, 200, answer.text);
  }

  const pod = (name: string, spec: object): Promise<void> =>
    made(pods, { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } });

  const token = (): Readonly<Record<string, string>> => ({ authorization: `Bearer ${target.pki.adminToken}` });

  /** A request of which the answer is read as it comes. */
  async function open(path: string, more: { method?: string; headers?: Readonly<Record<string, string>> } = {}) {
    const { hostname: host, port } = new URL(target.urls[0] ?? "");
    const headers = { ...token(), ...more.headers };
    const asked = request({ ...{ host, port, path, agent: false, ca: target.pki.ca }, method: more.method, headers });
    asked.end();
    return await new Promise<{ readonly message: IncomingMessage; readonly socket: Duplex | undefined }>(
      (resolve, reject) => {
        asked.once("upgrade", (message, socket) => resolve({ message, socket }));
        asked.once("response", (message) => resolve({ message, socket: undefined }));
        asked.once("error", reject);
      },
    );
  }

  async function untilOpen(subresource: string, count: number): Promise<void> {
    const line = `apiserver_longrunning_requests{verb="CONNECT",group="",version="v1",resource="pods",subresource="${subresource}",scope="resource",component="apiserver"} ${count}`;
    await until(`${count} of ${subresource} are open`, async () => {
      const { text } = await http.get("/metrics");
      return text.includes(line) || (count === 0 && !text.includes(line.slice(0, -1))) || undefined;
    });
  }

  test("a log that is followed comes line by line, and its end at the client is one at the agent", async () => {
    let write = (_text: string): void => {};
    let gone: Promise<unknown> = Promise.resolve();
    agent.answer((_request, response) => {
      response.flushHeaders();
      write = (text) => void response.write(text);
      gone = once(response, "close");
    });
    const { message } = await open(`${pods}/p/log?follow=true&timestamps=1`);
    assert.deepEqual([message.statusCode, message.headers["content-type"]], [200, "text/plain"]);
    for (const line of ["one\n", "two\n", "three\n"]) {
      write(line);
      const [came] = await once(message, "data");
      assert.equal(String(came), line);
    }
    assert.equal(agent.heard.at(-1)?.url, "/containerLogs/default/p/c?follow=true&timestamps=true");
    assert.equal(agent.clients.at(-1), "kube-apiserver-agent-client");
    await untilOpen("log", 1);
    message.destroy();
    await gone;
    await untilOpen("log", 0);
  });

  test("a client that does not read a log holds the agent back", async () => {
    let waits = false;
    let sent = 0;
    agent.answer((_request, response) => {
      const part = Buffer.alloc(64 * 1024, "x");
      const go = (): void => {
        while (sent < 256 << 20 && !waits) {
          sent += part.length;
          if (!response.write(part)) {
            waits = true;
            response.once("drain", () => {
              waits = false;
              go();
            });
          }
        }
      };
      go();
    });
    const { message } = await open(`${pods}/p/log`);
    message.pause();
    let before = -1;
    await until("nothing more is sent", async () => {
      const still = waits && sent === before;
      before = sent;
      return still || undefined;
    });
    assert.ok(sent < 64 << 20, `${sent} bytes for nobody`);
    message.destroy();
  });

  test("a command has input, output, a size and a code, in the channels of a WebSocket", async (t) => {
    const acceptor = new WebSocketServer({ noServer: true, handleProtocols: () => protocol });
    const told: string[] = [];
    agent.upgrade((message, socket, head) =>
      acceptor.handleUpgrade(message, socket, head, (peer) => {
        peer.on("message", (data: Buffer) => {
          told.push(`${data[0]}:${data.subarray(1)}`);
          if (data[0] === 0) peer.send(Buffer.concat([Buffer.of(1), data.subarray(1)]));
          if (data[0] !== 255) return;
          const details = { causes: [{ reason: "ExitCode", message: "7" }] };
          peer.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify({ reason: "NonZeroExitCode", details }))]));
          peer.close(1000);
        });
      }),
    );
    const url = (target.urls[0] ?? "").replace("https:", "wss:");
    const offered = [protocol, "v4.channel.k8s.io"];
    const socket = new WebSocket(`${url}${pods}/p/exec?command=cat&command=-n&stdin=1&tty=1`, offered, {
      ca: target.pki.ca,
      headers: token(),
    });
    t.after(() => socket.terminate());
    const came: string[] = [];
    socket.on("message", (data: Buffer) => came.push(`${data[0]}:${data.subarray(1)}`));
    await once(socket, "open");
    assert.equal(socket.protocol, protocol);
    await untilOpen("exec", 1);
    const large = "x".repeat(300_000);
    socket.send(Buffer.concat([Buffer.of(4), Buffer.from('{"Width":80,"Height":24}')]));
    socket.send(Buffer.concat([Buffer.of(0), Buffer.from(large)]));
    socket.send(Buffer.of(255, 0));
    const [code] = await once(socket, "close");
    assert.equal(code, 1000);
    assert.deepEqual(told.slice(0, 2), ['4:{"Width":80,"Height":24}', `0:${large}`]);
    assert.deepEqual(came, [
      `1:${large}`,
      '3:{"reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"7"}]}}',
    ]);
    assert.equal(agent.heard.at(-1)?.url, "/exec/default/p/c?command=cat&command=-n&error=1&input=1&output=1&tty=1");
    assert.equal(agent.heard.at(-1)?.headers.authorization, undefined);
    await untilOpen("exec", 0);
  });

  const spdy = { connection: "Upgrade", upgrade: "SPDY/3.1" };
  const echo = (_message: IncomingMessage, socket: Duplex): void => {
    socket.allowHalfOpen = true;
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
    socket.pipe(socket);
  };

  test("bytes of a port go both ways, and each side sees the other's end", async () => {
    agent.upgrade(echo);
    const { socket } = await open(`${pods}/p/portforward?ports=80`, { method: "POST", headers: spdy });
    assert.ok(socket);
    const bytes = Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => (i * 7) % 251));
    const parts: Buffer[] = [];
    socket.on("data", (part: Buffer) => void parts.push(part));
    socket.end(bytes);
    await once(socket, "close");
    assert.ok(Buffer.concat(parts).equals(bytes));
    assert.equal(agent.heard.at(-1)?.url, "/portForward/default/p?port=80");
    await untilOpen("portforward", 0);
  });

  test("an agent that dies ends its clients' connections, and nothing else", async () => {
    agent.upgrade(echo);
    const all = await Promise.all(
      Array.from({ length: 5 }, () => open(`${pods}/p/attach`, { method: "POST", headers: spdy })),
    );
    await untilOpen("attach", 5);
    const ends = all.map(({ socket }) => (socket === undefined ? undefined : once(socket.resume(), "close")));
    for (const { socket } of all) socket?.on("error", () => {});
    agent.die();
    await Promise.all(ends);
    await untilOpen("attach", 0);
    agent.answer((_request, response) => void response.end("well again"));
    assert.equal((await http.get(`${pods}/p/log`)).text, "well again");
  });

  test("who may what is said for each of them by itself", async () => {
    agent.answer((_request, response) => void response.end("yes"));
    const roles: readonly [user: string, verb: string, resource: string][] = [
      ["reader", "get", "pods/log"],
      ["getter", "get", "pods/exec"],
      ["creator", "create", "pods/exec"],
      ["plain", "*", "pods"],
      ["prober", "get", "nodes/proxy"],
    ];
    for (const [name, verb, resource] of roles) {
      const rbac = "/apis/rbac.authorization.k8s.io/v1";
      await made(`${rbac}/clusterroles`, {
        metadata: { name },
        rules: [{ apiGroups: [""], resources: [resource], verbs: [verb] }],
      });
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
      await made(`${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects: [{ kind: "User", name }] });
    }
    const codeFor = async (name: string, method: string, path: string): Promise<number> => {
      const as: Credentials = { type: "user", name };
      return (await http.call({ method, path, as })).status;
    };
    const exec = `${pods}/p/exec`;
    // An upgrade that is allowed and not asked for is 400.
    const rows: readonly [user: string, method: string, path: string, code: number][] = [
      ["reader", "GET", `${pods}/p/log`, 200],
      ["reader", "GET", exec, 403],
      ["getter", "GET", exec, 400],
      ["getter", "POST", exec, 403],
      ["creator", "POST", exec, 400],
      ["creator", "GET", exec, 403],
      ["creator", "POST", `${pods}/p/attach`, 403],
      ["plain", "GET", `${pods}/p/log`, 403],
      ["plain", "POST", exec, 403],
      ["plain", "GET", `${pods}/p/proxy/`, 403],
      ["prober", "GET", "/api/v1/nodes/n/proxy/metrics", 400],
      ["prober", "POST", "/api/v1/nodes/n/proxy/metrics", 403],
      ["prober", "GET", "/api/v1/nodes/n/proxy//a%2Fb", 400],
      ["nobody", "GET", "/api/v1/nodes/n/proxy//a%2Fb", 403],
    ];
    for (const [user, method, path, code] of rows) {
      await until(`${user} ${method} ${path} is ${code}`, async () =>
        (await codeFor(user, method, path)) === code ? true : undefined,
      );
    }
  });

  test("what is hostile is refused, and harms nobody", async () => {
    const heard = agent.heard.length;
    for (const path of [
      "/api/v1/nodes/n/proxy/../../../secrets",
      "/api/v1/nodes/n/proxy/%2e%2e/x",
      "/api/v1/nodes/n/proxy//..%2f..%2fx",
      "/api/v1/nodes/n:1:2:3/proxy/",
      "/api/v1/nodes/ftp:n:21/proxy/",
      `${pods}/p/log?container=..%2F..%2Fx`,
      `${pods}/p/log?tailLines=${"9".repeat(300)}`,
      `${pods}/p/log?sinceTime=${"9".repeat(30_000)}`,
      `${pods}/p/exec?command=${"x".repeat(50_000)}`,
      `${pods}/p/portforward?${"ports=1&".repeat(5_000)}`,
      `${pods}/p/log?container=${"%0d%0aX:%20y".repeat(100)}`,
    ]) {
      const { status } = await http.get(path);
      assert.ok(status >= 400 && status < 500, `${status} ${path.slice(0, 60)}`);
    }
    assert.equal((await http.get(`${pods}/p/log?x=${"y".repeat(200_000)}`).catch(() => undefined))?.status ?? 431, 431);
    for (const headers of [
      { ...spdy, "content-length": "3" },
      { ...spdy, upgrade: "x".repeat(30_000) },
      { connection: "Upgrade", upgrade: "websocket" },
    ]) {
      agent.upgrade((_message, socket) => socket.end("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n"));
      const { message } = await open(`${pods}/p/exec`, { method: "GET", headers });
      message.resume();
      assert.ok(message.statusCode === 400 || message.statusCode === 431, String(message.statusCode));
    }
    assert.equal(agent.heard.length <= heard + 3, true, "nobody was asked");
    assert.equal((await http.get("/readyz")).status, 200);
  });

  test("an agent that answers nonsense is told of", async () => {
    for (const nonsense of [
      "hello\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      `HTTP/1.1 200 OK\r\nX: ${"y".repeat(200_000)}\r\n\r\n`,
    ]) {
      agent.upgrade((_message, socket) => socket.end(nonsense));
      const { message } = await open(`${pods}/p/exec`, { method: "POST", headers: spdy });
      message.resume();
      assert.equal(message.statusCode, 500);
    }
  });

  test("a port of a node and its agent are reached through the node's proxy", async (t: TestContext) => {
    if (outward === undefined) return t.skip("SKIPPED: this machine has no address but loopback's");
    agent.answer(
      (message, response) =>
        void response.end(`${message.method} ${message.url} ${message.headers["x-forwarded-uri"]}`),
    );
    // Its certificate names loopback alone: nobody else is it.
    const { status, text } = await http.get("/api/v1/nodes/far/proxy/pods");
    assert.equal(status, 503, text);
    assert.match(
      text,
      /error trying to reach service: tls: failed to verify certificate: x509: certificate is valid for/,
    );
    const other = `/api/v1/nodes/https:far:${agent.port}/proxy/x?y=1`;
    assert.equal((await http.get(other)).status, 503);
    assert.equal((await http.get("/api/v1/nodes/n/proxy/pods")).status, 400);
  });

  test("discovery names what nodes answer", async () => {
    const resources = (await http.get("/api/v1")).at("resources");
    assert.ok(Array.isArray(resources));
    const verbs = (name: string): string => String(resources.find((one) => one.name === name)?.verbs);
    assert.equal(verbs("pods/log"), "get");
    for (const part of ["exec", "attach", "portforward"]) assert.equal(verbs(`pods/${part}`), "create,get");
    for (const of of ["pods", "nodes", "services"]) {
      assert.equal(verbs(`${of}/proxy`), "create,delete,get,patch,update");
    }
  });

  test("a server that stops ends connections with an end", async () => {
    agent.upgrade(echo);
    const { socket } = await open(`${pods}/p/exec`, { method: "POST", headers: spdy });
    assert.ok(socket);
    const ended = once(socket.resume(), "end");
    await target.process.stop();
    await ended;
    await target.process.restart();
  });
});

test("separate gateways reach a node's agent, each by itself", async (t) => {
  const why = etcdMissing();
  if (why !== undefined) return t.skip(`SKIPPED: ${why}`);
  const target = await startDistributed({
    args: ["--kubelet-preferred-address-types=InternalIP", "--kubelet-timeout=10s"],
  });
  const http = connect(target);
  const agent = await startNodeAgent(target.pki);
  t.after(async () => {
    http.close();
    await agent.close();
    await target.stop();
  });
  agent.answer((message, response) => void response.end(message.url));
  assert.equal((await http.post("/api/v1/nodes", { metadata: { name: "n" } })).status, 201);
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
  };
  assert.equal((await http.patch("/api/v1/nodes/n/status", "merge", { status })).status, 200);
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  await until("the pod is made", async () => {
    const { status: code } = await http.post(pods, { metadata: { name: "p" }, spec });
    return code === 201 || undefined;
  });
  // The client takes turns among the gateways.
  for (let i = 0; i < target.urls.length * 2; i++) {
    const { text } = await http.get(`${pods}/p/log`, { tailLines: i });
    assert.equal(text, `/containerLogs/default/p/c?tailLines=${i}`);
  }
  assert.deepEqual(new Set(agent.clients), new Set(["kube-apiserver-agent-client"]));
});
