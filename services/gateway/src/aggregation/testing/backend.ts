import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TestContext } from "node:test";
import { dialDirectly } from "@orch/outbound/dial.js";
import { issueAuthority, issueClient, issueServing } from "@orch/pki/certificates.js";
import { silentLog } from "@orch/runtime/log.js";
import { serverFor } from "../../testing/clients/server.js";
import { testGateway } from "../../testing/gateway.js";
import type { ApiService, Condition } from "../api-service.js";
import { noOtherApis } from "../other-apis.js";
import { secretHeaders, type UserHeaders } from "../passed-headers.js";
import { createProxy, type ProxyDeps } from "../proxy.js";
import { type ClientPair, createUpstream } from "../upstream.js";

const now = Date.now();
export const authority = await issueAuthority("backends", now);
export const newClient = async (name: string): Promise<ClientPair> => {
  const { certificate: cert, key } = await issueClient(authority, { name }, now);
  return { cert, key };
};
export const otherAuthority = await issueAuthority("nobody's", now);
const serving = await issueServing(authority, ["svc.ns.svc"], now);
const client = await issueClient(authority, { name: "aggregator" }, now);

/** A server of somebody else. */
export interface Backend {
  readonly port: number;
  /** Requests, in order. */
  readonly heard: readonly IncomingMessage[];
}

export type Serve = (request: IncomingMessage, response: ServerResponse) => void;
export type Upgraded = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Serves as `svc.ns.svc` on a free port, with a client certificate asked for. */
export async function startBackend(t: TestContext, serve: Serve, upgraded?: Upgraded): Promise<Backend> {
  const heard: IncomingMessage[] = [];
  const server: Server = createServer(
    {
      ...{ cert: serving.certificate, key: serving.key, ca: authority.certificate },
      ...{ requestCert: true, rejectUnauthorized: false },
    },
    (request, response) => {
      heard.push(request);
      serve(request, response);
    },
  );
  const sockets = new Set<Duplex>();
  // Before the handshake: one that comes late would outlive the test.
  server.on("connection", (socket: Duplex) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  if (upgraded !== undefined) {
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      heard.push(request);
      upgraded(request, socket, head);
    });
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard };
}

const passed: Condition = { status: "True", reason: "Passed", message: "", lastTransitionTime: "" };

export const userHeaders: UserHeaders = {
  username: "X-Remote-User",
  uid: "X-Remote-Uid",
  group: "X-Remote-Group",
  extraPrefix: "X-Remote-Extra-",
};

/** The APIService of `ext.example.com/v1`, of which `port` is the server. */
export function apiOf(
  port: number,
  { ca = authority.certificate, insecure = false, available = passed } = {},
): ApiService {
  const group = "ext.example.com";
  const version = "v1";
  const name = `${version}.${group}`;
  return {
    ...{ name, group, version, available, uid: "u", resourceVersion: "1", labels: {} },
    priority: { group: 100, version: 10 },
    remote: { name, group, version, service: { namespace: "ns", name: "svc", port }, ca, insecure },
  };
}

export interface ProxyOptions {
  readonly api: ApiService;
  readonly proxy?: Partial<ProxyDeps>;
  readonly requestTimeoutMs?: number;
}

/** A gateway of which `ext.example.com/v1` is passed on to a backend of this machine. */
export async function startGateway(t: TestContext, { api, proxy = {}, requestTimeoutMs = 10_000 }: ProxyOptions) {
  const { certificate: cert, key } = client;
  const pair = { cert, key };
  const upstream = createUpstream({ dial: dialDirectly, pair: () => pair });
  const openWatches = new Set<() => void>();
  const deps: ProxyDeps = {
    ...{ upstream, userHeaders, requestTimeoutMs, openWatches, log: silentLog },
    resolve: async ({ port }) => ({ host: "127.0.0.1", port }),
    secret: secretHeaders([], []),
    tokenProtocol: "token.",
    hideRedirects: true,
    ...proxy,
  };
  const gateway = testGateway({
    user: { name: "jane", uid: "7", groups: ["all", "dev"], extra: { "example.com/a b": ["x", "y"] } },
    apis: { ...noOtherApis(), remotes: new Map([[`${api.group}/${api.version}`, api]]) },
    proxy: createProxy(deps),
  });
  const { origin, close } = await serverFor(gateway.serve);
  t.after(async () => {
    upstream.close();
    await close();
  });
  return { origin, openWatches };
}
