import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/status/clock.js";
import { WebSocketServer } from "ws";
import type { AgentPod, AgentPods } from "./agent-pods.js";
import { containerStream } from "./channels.js";
import { playAttach, playCommand } from "./commands.js";
import { answerLog } from "./log-answer.js";
import { playPortForward } from "./port-forward.js";

export interface AgentConfig {
  /** Where it listens, and what nodes say of it. */
  readonly address: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** PEM of those by whom clients' certificates are signed; nobody is answered without. */
  readonly clientCa: string;
}

export interface AgentDeps {
  readonly pods: AgentPods;
  readonly naming: Naming;
  readonly clock: Clock;
}

export interface Agent {
  /** The port that it listens on. */
  start(): Promise<number>;
  stop(): Promise<void>;
}

const maxMessageBytes = 1 << 20;

/** The one endpoint of the agents of all simulated nodes: what it answers is made up. */
export function createAgent({ address, port, cert, key, clientCa }: AgentConfig, deps: AgentDeps): Agent {
  const { naming } = deps;
  const sockets = new Set<Socket>();
  const server = createServer(
    { cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] },
    (request, response) => {
      if (!isKnown(request)) return refuse(response, 401, "Unauthorized");
      answer(request, response, deps);
    },
  );
  const channel = naming.group("channel");
  const known = [`v5.${channel}`, `v4.${channel}`];
  const acceptor = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => known.find((protocol) => offered.has(protocol)) ?? false,
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => {});
    const forwarded = forwardedPod(request, deps);
    if (forwarded !== undefined) {
      socket.write(forwardingHead(naming.group("portforward")));
      playPortForward(socket, head, forwarded);
      return;
    }
    const refusal = upgradeRefusal(request, { known, deps });
    if (refusal !== undefined) return say(socket, refusal);
    acceptor.handleUpgrade(request, socket, head, (peer) => play(containerStream(peer), request, deps));
  });
  return {
    async start() {
      server.listen(port, address);
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Place {
  readonly pod: AgentPod;
  readonly container: string;
}

type Refusal = readonly [code: string, text: string];

function isKnown({ socket }: IncomingMessage): boolean {
  return socket instanceof TLSSocket && socket.authorized;
}

const urlOf = ({ url = "/" }: IncomingMessage): URL => new URL(url.startsWith("/") ? url : "/", "https://agent");

function answer(request: IncomingMessage, response: ServerResponse, deps: AgentDeps): void {
  const { pathname, searchParams } = urlOf(request);
  const place = placeOf(pathname, "containerLogs", deps);
  if (request.method !== "GET") refuse(response, 405, "Method Not Allowed");
  else if (pathname === "/healthz") refuse(response, 200, "ok");
  else if (pathname === "/pods") pods(response, deps.pods);
  else if (place === undefined) refuse(response, 404, "404 page not found\n");
  else if (typeof place === "string") refuse(response, 404, place);
  else log(response, place, { deps, query: searchParams });
}

function refuse(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { "Content-Type": "text/plain; charset=utf-8" }).end(text);
}

/** Those of all nodes: who asks cannot say which node is meant. */
function pods(response: ServerResponse, known: AgentPods): void {
  const items = [...known.all()].map(({ namespace, name, uid, node }) => ({
    metadata: { name, namespace, uid },
    spec: { nodeName: node },
  }));
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items }));
}

/** `/<word>/<namespace>/<pod>/<container>`; undefined of another path, a sentence where there is no such container. */
function placeOf(path: string, word: string, { pods: known }: AgentDeps): Place | string | undefined {
  const [, first, namespace = "", name = "", container = "", ...more] = path.split("/");
  if (first !== word || container === "" || more.length > 0) return undefined;
  const pod = known.find(namespace, name);
  if (pod === undefined) return `pod "${name}" not found`;
  return pod.containers.includes(container) ? { pod, container } : `container ${container} not found in pod ${name}`;
}

function log(
  response: ServerResponse,
  { pod, container }: Place,
  { deps, query }: { readonly deps: AgentDeps; readonly query: URLSearchParams },
): void {
  const { clock } = deps;
  if (query.get("previous") === "true" && pod.restarts === 0) {
    refuse(response, 400, `previous terminated container "${container}" in pod "${pod.name}" not found`);
    return;
  }
  if (pod.runningSinceMs === undefined) {
    refuse(response, 400, `container "${container}" in pod "${pod.name}" is waiting to start: ContainerCreating`);
    return;
  }
  const number = (key: string): number | undefined => (query.has(key) ? Number(query.get(key)) : undefined);
  const seconds = number("sinceSeconds");
  const since = Date.parse(query.get("sinceTime") ?? "");
  answerLog(response, clock, {
    source: { name: `${pod.namespace}/${pod.name}/${container}`, sinceMs: pod.runningSinceMs },
    query: {
      timestamps: query.get("timestamps") === "true",
      sinceMs: seconds === undefined ? (Number.isNaN(since) ? undefined : since) : clock.now() - seconds * 1000,
      tail: number("tailLines"),
    },
    follow: query.get("follow") === "true",
    limit: number("limitBytes"),
    runs: () => runs(deps, pod),
  });
}

function runs({ pods: known }: AgentDeps, { namespace, name, uid }: AgentPod): boolean {
  const now = known.find(namespace, name);
  return now?.uid === uid && now.runningSinceMs !== undefined;
}

/** Why a request does not go on as a WebSocket; undefined where it does. */
function upgradeRefusal(
  request: IncomingMessage,
  { known, deps }: { readonly known: readonly string[]; readonly deps: AgentDeps },
): Refusal | undefined {
  if (!isKnown(request)) return ["401 Unauthorized", "Unauthorized"];
  const { pathname } = urlOf(request);
  const place = placeOf(pathname, "exec", deps) ?? placeOf(pathname, "attach", deps);
  if (place === undefined) return ["404 Not Found", "404 page not found\n"];
  if (typeof place === "string") return ["404 Not Found", place];
  if (place.pod.runningSinceMs === undefined) return ["500 Internal Server Error", "container is not running"];
  const offered = String(request.headers["sec-websocket-protocol"] ?? "").split(",");
  if (request.headers.upgrade?.toLowerCase() === "websocket" && offered.some((one) => known.includes(one.trim()))) {
    return undefined;
  }
  return ["400 Bad Request", `simulated nodes speak WebSocket alone: ${known.join(", ")}\n`];
}

/** The pod whose ports are asked for in a protocol that forwards them; undefined of any other request. */
function forwardedPod(request: IncomingMessage, { pods: known }: AgentDeps): AgentPod | undefined {
  const [, first, namespace = "", name = "", ...more] = urlOf(request).pathname.split("/");
  const isSpdy = request.headers.upgrade?.toLowerCase() === "spdy/3.1";
  if (first !== "portForward" || more.length > 0 || !isSpdy || !isKnown(request)) return undefined;
  const pod = known.find(namespace, name);
  return pod?.runningSinceMs === undefined ? undefined : pod;
}

const forwardingHead = (protocol: string): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`;

function say(socket: Duplex, [code, text]: Refusal): void {
  const head = `HTTP/1.1 ${code}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function play(stream: ReturnType<typeof containerStream>, request: IncomingMessage, deps: AgentDeps): void {
  const { pathname, searchParams } = urlOf(request);
  const exec = placeOf(pathname, "exec", deps);
  if (typeof exec === "object") {
    playCommand(stream, { ...exec, words: searchParams.getAll("command"), stdin: searchParams.get("input") === "1" });
    return;
  }
  const attach = placeOf(pathname, "attach", deps);
  if (typeof attach !== "object") {
    stream.end(1);
    return;
  }
  const { pod, container } = attach;
  const source = { name: `${pod.namespace}/${pod.name}/${container}`, sinceMs: pod.runningSinceMs ?? 0 };
  playAttach(stream, deps.clock, source, () => runs(deps, pod));
}
