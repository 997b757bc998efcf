import { type Dial, dialDirectly } from "../dial.js";
import type { EgressConfiguration, EgressConnection, Purpose } from "./configuration.js";
import { dialThroughHttpProxy } from "./http-proxy.js";
import { dialThroughTunnel } from "./konnectivity.js";
import type { Staged } from "./stage.js";

/** Where a dial failed: at the proxy itself, or at what it was asked for. */
export type Stage = "connect" | "proxy";

export interface EgressLabels {
  readonly protocol: "http_connect" | "grpc";
  readonly transport: "tcp" | "uds";
}

/** What is to be told of dials through proxies. */
export interface EgressObserver {
  started(labels: EgressLabels): void;
  dialed(labels: EgressLabels, seconds: number): void;
  failed(labels: EgressLabels, stage: Stage): void;
}

/** By which way connections leave this process. */
export interface Egress {
  /** Straight where nothing else is configured for the purpose. */
  dial(purpose: Purpose): Dial;
  /** The same for those who dial by themselves where it goes straight: undefined then. */
  through(purpose: Purpose): Dial | undefined;
}

export interface EgressDeps {
  readonly observer: EgressObserver;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
}

export function createEgress(configuration: EgressConfiguration, deps: EgressDeps): Egress {
  const dials = new Map<Purpose, Dial>();
  for (const [purpose, connection] of configuration) {
    if (connection.protocol !== "Direct") dials.set(purpose, dialBy(connection, deps));
  }
  return {
    dial: (purpose) => dials.get(purpose) ?? dialDirectly,
    through: (purpose) => dials.get(purpose),
  };
}

type Proxied = Exclude<EgressConnection, { readonly protocol: "Direct" }>;

function dialBy(connection: Proxied, { observer, monotonic }: EgressDeps): Dial {
  const { labels, dial } = proxied(connection);
  return async (to, signal) => {
    const start = monotonic();
    let stage: Stage = "connect";
    observer.started(labels);
    try {
      const socket = await dial(to, { signal, reached: () => (stage = "proxy") });
      observer.dialed(labels, (monotonic() - start) / 1000);
      return socket;
    } catch (error) {
      observer.failed(labels, stage);
      throw error;
    }
  };
}

function proxied(connection: Proxied): {
  readonly labels: EgressLabels;
  readonly dial: Staged;
} {
  if (connection.protocol === "GRPC") {
    return { labels: { protocol: "grpc", transport: "uds" }, dial: dialThroughTunnel(connection.socketPath) };
  }
  const { proxy } = connection;
  return { labels: { protocol: "http_connect", transport: proxy.transport }, dial: dialThroughHttpProxy(proxy) };
}
