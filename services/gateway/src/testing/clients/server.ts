import { issueAuthority, issueServing } from "@orch/pki/certificates.js";
import type { Serve } from "../../http/exchange.js";
import type { Connected } from "../../http/exchange.suite.js";
import { createHttpServer } from "../../http/server.js";
import { fixedTls } from "../../tls/material.js";

/** How a client reaches the server, as node's clients take it. */
export interface Origin {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  readonly servername: string;
}

const now = Date.now();
const authority = await issueAuthority("ca", now);
const pair = await issueServing(authority, ["localhost"], now);

/** The gateway's server on a free port. */
export async function serverFor(
  serve: Serve,
): Promise<{ readonly origin: Origin; readonly close: () => Promise<void> }> {
  let ids = 0;
  const tls = fixedTls({ cert: pair.certificate, key: pair.key, clientCa: undefined });
  const server = createHttpServer(
    { bindAddress: "127.0.0.1", port: 0, requestTimeoutMs: 30_000, http2MaxStreams: 100, tokenProtocol: "token.", tls },
    { newId: () => `id-${++ids}`, serve },
  );
  const origin = { host: "127.0.0.1", port: await server.listen(), ca: authority.certificate, servername: "localhost" };
  return { origin, close: () => server.close(0) };
}

/** {@link serverFor}, with a client of one protocol. */
export async function connectTo(
  serve: Serve,
  visitor: (origin: Origin) => Pick<Connected, "visit"> & { close?(): void },
): Promise<Connected> {
  const { origin, close: stop } = await serverFor(serve);
  const { visit, close } = visitor(origin);
  return {
    visit,
    async close() {
      close?.();
      await stop();
    },
  };
}
