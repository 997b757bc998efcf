import { type OpenIdDocuments, openIdPaths } from "@orch/auth/service-account/open-id.js";
import express from "express";

/** How long others may cache the documents, in seconds. A new key must be published for that long before it signs. */
const keptSeconds = 3600;

/** The two documents by which others check tokens of service accounts; the request's whole path is matched. */
export function createOpenIdDiscovery(documents: OpenIdDocuments): express.Router {
  const routes = express.Router({ strict: true, caseSensitive: true });
  const serve = (path: string, mediaType: string, document: string): void => {
    const body = Buffer.from(document);
    routes.get(path, (_request, response) => {
      response.setHeader("Content-Type", mediaType);
      response.setHeader("Cache-Control", `public, max-age=${keptSeconds}`);
      response.send(body);
    });
  };
  serve(openIdPaths.configuration, "application/json", documents.configuration);
  serve(openIdPaths.keySet, "application/jwk-set+json", documents.keySet);
  return routes;
}
