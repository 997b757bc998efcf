import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, Server } from "node:http";
import { duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type OpenIdDocuments, openIdPaths } from "@orch/auth/service-account/open-id.js";
import { createServer, request } from "@orch/status/node-http.js";
import express from "express";
import type { FlowTables } from "../flow/tables.js";
import type { Exchange } from "../http/exchange.js";
import type { HeaderList } from "../http/response.js";
import { createOpenApiRoutes, type OpenApiDeps } from "./openapi.js";
import { createOpenIdDiscovery } from "./openid-discovery.js";

export interface ExpressPathsDeps {
  readonly metrics: () => Promise<{ contentType: string; body: string }>;
  readonly version: object;
  /** Of health checks, for the list of paths; they are answered elsewhere. */
  readonly healthPaths: () => readonly string[];
  /** Below `/debug/api_priority_and_fairness`; not listed among the paths, as in the reference. */
  readonly flowTables?: FlowTables;
  /** Below `/openapi`. */
  readonly openApi: OpenApiDeps;
  /** Of tokens of service accounts. */
  readonly openId?: OpenIdDocuments | undefined;
}

/** Metrics, version, OpenAPI, the keys of tokens, the list of paths; 404 for all else. */
export function createExpressPaths(deps: ExpressPathsDeps): (exchange: Exchange) => Promise<void> {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.get("/version", (_request, response) => sendJson(response, deps.version));
  app.get("/", (_request, response) => sendJson(response, { paths: pathsOf(deps) }));
  app.get("/metrics", async (_request, response) => {
    const { contentType, body } = await deps.metrics();
    response.set("Content-Type", contentType).send(body);
  });
  for (const [name, print] of deps.flowTables ?? []) {
    app.all(`/debug/api_priority_and_fairness/${name}`, (request, response) => {
      const details = (request.query["includeRequestDetails"] ?? "") !== "";
      response.set("Content-Type", plain).send(print({ details }));
    });
  }
  app.use("/openapi", createOpenApiRoutes(deps.openApi));
  if (deps.openId !== undefined) app.use(createOpenIdDiscovery(deps.openId));
  app.use((_request, response) => {
    response.status(404).set({ "Content-Type": plain, "X-Content-Type-Options": "nosniff" });
    response.send("404 page not found\n");
  });
  const failed: express.ErrorRequestHandler = (_error, _request, response, _next) => {
    response.status(500).set("Content-Type", plain).send("internal error\n");
  };
  app.use(failed);
  // It never listens: every request has passed the gateway's own limits.
  const server = createServer({ maxHeaderSize: anyHeaderBytes }, app);
  return (exchange) => answer(server, exchange);
}

/** For people too, as the reference prints it. */
function sendJson(response: express.Response, value: object): void {
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(value, null, 2));
}

const anyHeaderBytes = 1024 * 1024;
/** Headers of a request that a handler may look at. */
const forwarded = ["accept", "accept-encoding", "if-none-match", "host", "user-agent"] as const;
/** Headers that the response sets itself. */
const ownHeaders = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"]);
/** Spelled as in the rest of the gateway. */
const spelled = new Map([
  ["cache-control", "Cache-Control"],
  ["x-content-type-options", "X-Content-Type-Options"],
]);

/** Express knows the first version of HTTP alone: it is asked over a connection in memory, whatever the client speaks. */
async function answer(server: Server, { request: asking, response: answering }: Exchange): Promise<void> {
  const [client, served] = duplexPair();
  server.emit("connection", served);
  const path = asking.query === undefined ? asking.path : `${asking.path}?${asking.query}`;
  const headers: OutgoingHttpHeaders = { connection: "close" };
  for (const name of forwarded) {
    const value = asking.header(name);
    if (value !== undefined) headers[name] = value;
  }
  const asked = request({ createConnection: () => client, method: asking.method, path, headers });
  // A side of a pair does not learn that the other has ended: an end before the answer would be waited for for ever.
  const giveUp = (): void => void client.destroy();
  served.once("close", giveUp);
  asked.once("response", () => served.off("close", giveUp));
  asked.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once("response", resolve).once("error", reject);
  });
  answering.send(response.statusCode ?? 500, headerList(response.headers), await buffer(response));
}

function headerList(headers: IncomingHttpHeaders): HeaderList {
  return Object.entries(headers).flatMap(([name, value]) =>
    ownHeaders.has(name) ? [] : [value].flat().flatMap((each) => [spelled.get(name) ?? name, String(each)]),
  );
}

const plain = "text/plain; charset=utf-8";

function pathsOf({ openId, healthPaths }: ExpressPathsDeps): readonly string[] {
  const ofTokens = openId === undefined ? [] : [openIdPaths.keySet, openIdPaths.configuration];
  return [...paths, ...healthPaths(), ...ofTokens].sort();
}

const paths = ["/api", "/api/v1", "/apis", "/metrics", "/openapi/v2", "/openapi/v3", "/version"];
