import type { Attributes, JoinTrace, Span } from "@orch/status/span.js";

/** What a request came with. */
export interface Incoming {
  /** Headers; undefined where it has none. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly auditId: string;
}

/**
 * How a process takes part in tracing. There is none in a process without `--tracing-config-file`, which then loads nothing of
 * it; every user holds a `Tracing | undefined`.
 */
export interface Tracing {
  /**
   * The span of a request that somebody outside sends: undefined where it is not traced and came without a context. One
   * that came with a context follows its sender's decision; one that is not to be traced only passes its context on.
   * `attributes` is called for a traced one.
   */
  request(name: string, incoming: Incoming, attributes: () => Attributes): Span | undefined;
  /** Work that nobody outside asked for; sampled by the rate. */
  begin(name: string, attributes: Attributes): Span | undefined;
  /** Takes part in what a peer of ours does. */
  readonly join: JoinTrace;
  /** Sends what is left, for a bounded time, and ends. */
  stop(): Promise<void>;
}

/** What became of spans: `dropped` found no room because the collector does not keep up. */
export type SpanFate = "exported" | "failed" | "dropped";
