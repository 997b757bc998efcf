import type { IncomingMessage, ServerResponse } from "node:http";
import express from "express";

export interface OtherPathsDeps {
  /** `/healthz`, `/livez`, `/readyz` and the checks below them; undefined for another path. */
  readonly health: (path: string, query: URLSearchParams) => Promise<{ code: number; body: string } | undefined>;
  readonly metrics: () => Promise<{ contentType: string; body: string }>;
  readonly version: object;
  /** Below `/openapi`. */
  readonly openApi: express.Handler;
}

/** Everything outside the resource paths: health, metrics, version, the list of paths. */
export function createOtherPaths(deps: OtherPathsDeps): (request: IncomingMessage, response: ServerResponse) => void {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.get("/version", (_request, response) => void response.json(deps.version));
  app.get("/", (_request, response) => void response.json({ paths }));
  app.get("/metrics", async (_request, response) => {
    const { contentType, body } = await deps.metrics();
    response.set("Content-Type", contentType).send(body);
  });
  app.use("/openapi", deps.openApi);
  app.use(async (request, response, next) => {
    const query = new URLSearchParams(request.originalUrl.split("?")[1] ?? "");
    const answer =
      request.method === "GET" || request.method === "HEAD" ? await deps.health(request.path, query) : undefined;
    if (answer === undefined) next();
    else
      response
        .status(answer.code)
        .set("Content-Type", plain)
        .set("X-Content-Type-Options", "nosniff")
        .send(answer.body);
  });
  app.use((_request, response) => void response.status(404).set("Content-Type", plain).send("404 page not found\n"));
  const failed: express.ErrorRequestHandler = (_error, _request, response, _next) => {
    response.status(500).set("Content-Type", plain).send("internal error\n");
  };
  app.use(failed);
  return app;
}

const plain = "text/plain; charset=utf-8";

const paths = [
  "/api",
  "/api/v1",
  "/apis",
  "/healthz",
  "/healthz/ping",
  "/livez",
  "/livez/ping",
  "/metrics",
  "/openapi/v2",
  "/openapi/v3",
  "/readyz",
  "/readyz/ping",
  "/version",
];
