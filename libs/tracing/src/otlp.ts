import { credentials } from "@grpc/grpc-js";
import {
  createTraceState,
  diag,
  type Context as OtelContext,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-node";
import { type Attributes, readSpanText, type Span, type SpanContext } from "@orch/status/span.js";
import type { TracingConfiguration } from "./configuration.js";
import { type Context, printTraceparent, readTraceparent, readTracestate } from "./context.js";
import { boundedProcessor } from "./processor.js";
import { passedOn, passedOnRemote, remoteSpan } from "./spans.js";
import type { SpanFate, Tracing } from "./tracing.js";

export interface OtlpOptions {
  /** Of the resource: which program, and which one of its kind. */
  readonly service: string;
  readonly instance: string;
  /** [0, 1) */
  readonly random: () => number;
  readonly count: (fate: SpanFate, spans: number) => void;
  /** Told what goes wrong with the collector; the caller bounds how often it says so. */
  readonly warn: (problem: string) => void;
  /** Ends the way to the collector, once nothing goes there any more. */
  readonly close?: (() => Promise<void>) | undefined;
}

/** Characters of an attribute. */
const longestValue = 1024;
/** How long a collector may take for a batch, and all that is left at the stop. */
const exportMs = 10_000;
const stopMs = 3_000;

/** Spans as OTLP over gRPC, without TLS. This file and what it imports are loaded where tracing is on, and only there. */
export function createOtlpTracing(configuration: TracingConfiguration, options: OtlpOptions): Tracing {
  const { samplingRate, collector } = configuration;
  const { random, count, warn } = options;
  diag.setLogger({ error: warn, warn, info() {}, debug() {}, verbose() {} }, { suppressOverrideMessage: true });
  const url = collector.type === "socket" ? `unix://${collector.path}` : `http://${collector.address}`;
  const processor = boundedProcessor(
    new OTLPTraceExporter({ url, timeoutMillis: exportMs, credentials: credentials.createInsecure() }),
    { exportMs, count, warn },
  );
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": options.service, "service.instance.id": options.instance }),
    spanProcessors: [processor],
    // Clients write some of them: the queue is bounded in spans, and these bound it in bytes.
    generalLimits: { attributeValueLengthLimit: longestValue },
  });
  // What is not to be traced never comes here: whether it is, is decided below, without the cost of a span.
  const tracer = provider.getTracer("orch");

  const shownTo = (span: OtelSpan, at: { readonly auditId: string; readonly tracestate: string }): Span => {
    const { auditId, tracestate } = at;
    return {
      auditId,
      tracestate,
      get traceparent() {
        return printTraceparent(span.spanContext(), true);
      },
      child: (name, attributes) => {
        const child = tracer.startSpan(name, { attributes: attributes ?? {} }, trace.setSpan(ROOT_CONTEXT, span));
        return shownTo(child, at);
      },
      // The SDK complains of whatever comes after the end, which a late answer may.
      event(name, attributes, time) {
        if (span.isRecording()) span.addEvent(name, attributes, time);
      },
      set(attributes) {
        if (span.isRecording()) span.setAttributes(attributes);
      },
      end(failure) {
        if (!span.isRecording()) return;
        if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        span.end();
      },
    };
  };
  const below = (parent: Context, tracestate: string): OtelContext => {
    const { traceId, spanId, flags } = parent;
    return trace.setSpanContext(ROOT_CONTEXT, {
      ...{ traceId, spanId, traceFlags: flags, isRemote: true },
      ...(tracestate === "" ? {} : { traceState: createTraceState(tracestate) }),
    });
  };
  const isSampled = (): boolean => samplingRate > 0 && random() < samplingRate;

  return {
    request(name, { traceparent, tracestate, auditId }, attributes) {
      const parent = readTraceparent(traceparent);
      if (parent === undefined) {
        if (!isSampled()) return undefined;
        const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes: attributes() }, ROOT_CONTEXT);
        return shownTo(span, { auditId, tracestate: "" });
      }
      const state = readTracestate(tracestate);
      if (!parent.sampled) {
        return passedOn({ traceparent: printTraceparent(parent, false), tracestate: state, auditId });
      }
      const context = below(parent, state);
      const { traceId, spanId, flags: traceFlags } = parent;
      const span = tracer.startSpan(
        name,
        // A link besides: collectors that cut traces at a public address still lead to the client's.
        { kind: SpanKind.SERVER, attributes: attributes(), links: [{ context: { traceId, spanId, traceFlags } }] },
        context,
      );
      return shownTo(span, { auditId, tracestate: state });
    },
    begin(name, attributes: Attributes) {
      if (!isSampled()) return undefined;
      return shownTo(tracer.startSpan(name, { attributes }, ROOT_CONTEXT), { auditId: "", tracestate: "" });
    },
    join(text) {
      const given: SpanContext = readSpanText(text);
      const parent = readTraceparent(given.traceparent);
      if (parent === undefined) return undefined;
      const tracestate = readTracestate(given.tracestate);
      const context = { ...given, tracestate };
      if (!parent.sampled) return passedOnRemote(context);
      let otel: OtelContext | undefined;
      return remoteSpan(context, {
        now: () => performance.timeOrigin + performance.now(),
        child(name, attributes) {
          otel ??= below(parent, tracestate);
          return shownTo(tracer.startSpan(name, { attributes: attributes ?? {} }, otel), {
            auditId: given.auditId,
            tracestate,
          });
        },
      });
    },
    async stop() {
      await processor.stop(stopMs);
      await options.close?.();
    },
  };
}
