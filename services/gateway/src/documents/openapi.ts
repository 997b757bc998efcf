import type { Document, OpenApi } from "@orch/api/openapi/openapi.js";
import { sectionUrl } from "@orch/api/openapi/openapi.js";
import { createNegotiator, type Negotiator, type Offer } from "@orch/codec/negotiate.js";
import { ApiError } from "@orch/status/api-error.js";
import express from "express";
import { acceptsGzip, createKeptGzip, documentGzipFrom, type KeptGzip } from "../http/gzip.js";
import { namesTag, quoted } from "./etag.js";

export interface OpenApiDeps {
  readonly documents: OpenApi;
  /** Milliseconds since the epoch: what is immutable expires a year later. */
  readonly now: () => number;
}

/** A document in the form that was asked for; every form has the same ETag. */
type Encoding = "json" | "protobuf";

/** The handler of `/openapi/…`. Answers 304 where the client names the document's ETag. */
export function createOpenApiRoutes({ documents, now }: OpenApiDeps): express.Router {
  const send = sender(createKeptGzip());
  const routes = express.Router({ strict: true, caseSensitive: true });
  routes.get("/v2", async (request, response) => {
    const encoding = encodingOf(two, request);
    if (encoding === undefined) response.status(406).end();
    else await send(response, await documents.v2(), { encoding, mediaType: mediaTypes.v2[encoding] });
  });
  routes.get("/v3", async (_request, response) => {
    await send(response, await documents.v3Index(), { encoding: "json", mediaType: mediaTypes.v3.json });
  });
  routes.get(/^\/v3\/./, async (request, response, next) => {
    const section = request.path.slice("/v3/".length);
    const document = documents.v3(section);
    const encoding = encodingOf(three, request);
    if (document === undefined) return next();
    if (encoding === undefined) return void response.status(406).end();
    const { hash } = request.query;
    if (hash !== undefined && hash !== "") {
      if (hash !== document.hash) return void response.redirect(301, sectionUrl(section, document.hash));
      response.setHeader("Cache-Control", "public, immutable");
      response.setHeader("Expires", new Date(now() + yearMs).toUTCString());
    }
    await send(response, document, { encoding, mediaType: mediaTypes.v3[encoding] });
  });
  return routes;
}

const yearMs = 365 * 24 * 60 * 60 * 1000;

/** Protobuf is asked for by either name and answered by the second: `@` may not stand in a media type. */
const mediaTypes = {
  v2: { json: "application/json", protobuf: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf" },
  v3: { json: "application/json", protobuf: "application/com.github.proto-openapi.spec.v3.v1.0+protobuf" },
} as const;

const two = negotiatorOf("v2");
const three = negotiatorOf("v3");

function negotiatorOf(version: "v2" | "v3"): Negotiator<Encoding> {
  const { json, protobuf } = mediaTypes[version];
  const offers: readonly Offer<Encoding>[] = [
    { mediaType: json, format: "json" },
    { mediaType: protobuf, format: "protobuf" },
    { mediaType: protobuf.replace(".v1.0+", "@v1.0+"), format: "protobuf" },
  ];
  return createNegotiator(offers);
}

/** Undefined where the client reads none of the forms; the answer then has no body, as in the reference. */
function encodingOf(negotiator: Negotiator<Encoding>, request: express.Request): Encoding | undefined {
  try {
    return negotiator.accept(request.headers.accept).offer.format;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

interface Form {
  readonly encoding: Encoding;
  readonly mediaType: string;
}

type Send = (response: express.Response, document: Document, form: Form) => Promise<void>;

/** All forms of a document have the same ETag. */
function sender(kept: KeptGzip): Send {
  return async (response, document, { encoding, mediaType }) => {
    const { headers } = response.req;
    const etag = quoted(document.hash);
    response.setHeader("ETag", etag);
    response.setHeader("Vary", "Accept, Accept-Encoding");
    if (namesTag(headers["if-none-match"], etag)) return void response.status(304).end();
    response.setHeader("Content-Type", mediaType);
    const body = (): Buffer => (encoding === "json" ? document.json : Buffer.from(document.protobuf()));
    const accepted = headers["accept-encoding"];
    if (!acceptsGzip(Array.isArray(accepted) ? accepted.join() : accepted) || document.json.length < documentGzipFrom) {
      return void response.send(body());
    }
    const compressed = await kept.of(`${document.hash} ${encoding}`, body);
    response.setHeader("Content-Encoding", "gzip");
    response.send(compressed);
  };
}
