import { isIP } from "node:net";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import { Agent, type buildConnector, type Dispatcher, ProxyAgent } from "undici";
import type { ClientConfig } from "../config.js";
import type { Credentials } from "../credentials/credentials.js";
import { createHttp2Streams, type Http2Streams } from "./http2-streams.js";

/** Connections that were opened with one certificate, or with none. */
export interface Connections {
  readonly dispatcher: Dispatcher;
  /** Undefined where streams are requests like others. */
  readonly streams: Http2Streams | undefined;
}

export interface ConnectionLimits {
  /** Without a byte of an answer. */
  readonly timeoutMs: number;
  /** Besides those of streams; as many as are needed where undefined. */
  readonly limit: number | undefined;
  readonly multiplexed: boolean;
  /** Opens connections in undici's stead; not beside a proxy of the configuration, which has the last word. */
  readonly connector?: ((tls: ConnectionOptions) => buildConnector.connector) | undefined;
}

interface Open extends Connections {
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/**
 * The connections of a client. Another certificate takes other connections: what runs on the old ones goes on to its end,
 * then they are closed.
 */
export function createConnections(config: ClientConfig, limits: ConnectionLimits) {
  let newest: Open | undefined;
  const open = new Set<Open>();

  const opened = ({ certificate, key }: Credentials): Open => {
    const tls = tlsOf(config, { ...(certificate && { certificate }), ...(key && { key }) });
    const { timeoutMs, limit, multiplexed, connector } = limits;
    const shared = {
      ...(limit === undefined ? {} : { connections: limit }),
      keepAliveTimeout: 30_000,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    };
    // A tunnel is a connection of HTTP/1.1.
    const streams = multiplexed && config.proxyUrl === undefined ? createHttp2Streams(config.server, tls) : undefined;
    const dispatcher =
      config.proxyUrl === undefined
        ? new Agent({ ...shared, connect: connector?.(tls) ?? tls })
        : new ProxyAgent({ ...shared, uri: config.proxyUrl, requestTls: tls });
    const made = { certificate, key, dispatcher, streams };
    open.add(made);
    return made;
  };
  const retire = async (old: Open): Promise<void> => {
    // One that `close` destroys meanwhile is closed too.
    await Promise.allSettled([old.dispatcher.close(), old.streams?.retire()]);
    open.delete(old);
  };

  return {
    of(credentials: Credentials): Connections {
      const { certificate, key } = credentials;
      if (newest !== undefined && newest.certificate === certificate && newest.key === key) return newest;
      const old = newest;
      newest = opened(credentials);
      if (old !== undefined) void retire(old);
      return newest;
    },
    /** Ends whatever runs on them. */
    async close(): Promise<void> {
      for (const { streams } of open) streams?.close();
      await Promise.all([...open].map(({ dispatcher }) => dispatcher.destroy()));
      open.clear();
    },
  };
}

function tlsOf(config: ClientConfig, { certificate, key }: Credentials) {
  return {
    rejectUnauthorized: !config.insecureSkipTlsVerify,
    ...(config.ca === undefined ? {} : { ca: config.ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(config.tlsServerName === undefined ? {} : expectedName(config.tlsServerName)),
  };
}

/** An address is no name that TLS can announce: only the certificate is held to it. */
function expectedName(name: string): Pick<ConnectionOptions, "servername" | "checkServerIdentity"> {
  if (isIP(name) === 0) return { servername: name };
  return { checkServerIdentity: (_announced, certificate) => checkServerIdentity(name, certificate) };
}
