import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Dial } from "@orch/status/relay.js";
import { type CollectorTarget, usualPort } from "./endpoint.js";
import type { SpanFate, Tracing } from "./tracing.js";

export interface OpenOptions {
  readonly naming: Naming;
  /** The program, as spans name it: `apiserver` for what clients reach. */
  readonly service: string;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Pick<Clock, "monotonic">;
  /** By which way the collector is reached, that of the control plane; straight where absent. */
  readonly dial: Dial | undefined;
  /** Ends the start with a sentence. */
  readonly refuse: (problem: string) => never;
}

/** Tracing as `--tracing-config-file` says; undefined without one, and then nothing of it is loaded. */
export async function openTracing(path: string, options: OpenOptions): Promise<Tracing | undefined> {
  if (path === "") return undefined;
  const { naming, service, refuse } = options;
  if (!existsSync(path)) return refuse(`tracing-config-file ${path} does not exist`);
  const { parseTracingFile } = await import("./configuration.js");
  const parsed = parseTracingFile(textOf(path, refuse), naming);
  if (!parsed.ok) return refuse(parsed.problem);
  const { createOtlpTracing } = await import("./otlp.js");
  const { configuration } = parsed;
  const warn = nowAndThen(options);
  const { collector } = configuration;
  const relay =
    options.dial === undefined || collector.type === "socket"
      ? undefined
      : await relayTo(collector.address, { dial: options.dial, warn });
  const hash = createHash("sha256").update(`${hostname()}/${process.pid}`).digest("hex").slice(0, 26);
  return createOtlpTracing(relay === undefined ? configuration : { ...configuration, collector: relay.collector }, {
    service,
    instance: `${service}-${hash}`,
    random: Math.random,
    count: counted(options.metrics),
    warn,
    close: relay?.close,
  });
}

/** grpc-js takes no sockets that others have opened; it takes the path of one that leads there. */
async function relayTo(
  address: string,
  { dial, warn }: { readonly dial: Dial; readonly warn: (problem: string) => void },
): Promise<{ readonly collector: CollectorTarget; readonly close: () => Promise<void> }> {
  const { openRelay } = await import("@orch/status/relay.js");
  const failed = (error: unknown): void => warn(messageOf(error));
  const { pathOf, close } = await openRelay([address], { dial, name: "tracing", usualPort, failed });
  return { collector: { type: "socket", path: pathOf(address) }, close };
}

function textOf(path: string, refuse: (problem: string) => never): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return refuse(`unable to read tracing configuration from ${JSON.stringify(path)}: ${messageOf(error)}`);
  }
}

function counted(metrics: Metrics): (fate: SpanFate, spans: number) => void {
  const total = metrics.counter({
    name: "orch_trace_spans_total",
    help: "Spans by what became of them: exported, failed with their batch, or dropped for want of room.",
    stability: "ALPHA",
    labels: ["fate"],
  });
  return (fate, spans) => total.with({ fate }).inc(spans);
}

const quietMs = 60_000;

/** A collector that is away is told once a minute. */
function nowAndThen({ log, clock }: Pick<OpenOptions, "log" | "clock">): (problem: string) => void {
  let until = Number.NEGATIVE_INFINITY;
  return (problem) => {
    const now = clock.monotonic();
    if (now < until) return;
    until = now + quietMs;
    log.warn({ problem }, "spans cannot be sent to the collector");
  };
}
