import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import { type CollectedAttributes, type CollectedEvent, type CollectedSpan, readExport } from "./otlp-message.js";

/** A collector of a test's own: OTLP over gRPC, on loopback. */
export interface Collector {
  readonly address: string;
  /** What came so far. */
  readonly spans: readonly CollectedSpan[];
  /** How many batches came, those that were not answered included. */
  readonly batches: number;
  /** The spans that have come once this holds of them; what is there after `ms` at the latest. */
  until(holds: (spans: readonly CollectedSpan[]) => boolean, ms?: number): Promise<readonly CollectedSpan[]>;
  stop(): void;
}

/** `hang` never answers, `refuse` answers with an error. */
export type Behaviour = "take" | "hang" | "refuse";

const path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const pollMs = 50;

export async function startCollector(behaviour: Behaviour = "take", at = "127.0.0.1:0"): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let batches = 0;
  const server = new Server();
  const bytes = (given: Buffer): Buffer => given;
  server.addService(
    {
      Export: {
        path,
        ...{ requestStream: false, responseStream: false },
        ...{ requestSerialize: bytes, requestDeserialize: bytes },
        ...{ responseSerialize: bytes, responseDeserialize: bytes },
      },
    },
    {
      Export(call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) {
        batches++;
        if (behaviour === "hang") return;
        if (behaviour === "refuse") return answer({ code: status.INVALID_ARGUMENT, details: "not today" });
        spans.push(...readExport(call.request));
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(at, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    address: at.startsWith("unix:") ? at : `127.0.0.1:${port}`,
    spans,
    get batches() {
      return batches;
    },
    async until(holds, ms = 10_000) {
      for (let left = ms; left > 0 && !holds(spans); left -= pollMs) {
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
      return spans;
    },
    stop: () => server.forceShutdown(),
  };
}

/** A span with those within it, in the order in which they came. */
export interface SpanTree {
  readonly name: string;
  readonly kind: CollectedSpan["kind"];
  readonly service: string;
  readonly attributes: CollectedAttributes;
  readonly events: readonly CollectedEvent[];
  readonly children: readonly SpanTree[];
}

/** The trees of a trace: more than one where a parent is missing. */
export function treesOf(spans: readonly CollectedSpan[], traceId: string): readonly SpanTree[] {
  const ours = spans.filter((span) => span.traceId === traceId);
  const known = new Set(ours.map(({ spanId }) => spanId));
  const below = (parent: string): readonly SpanTree[] => ours.filter(({ parentId }) => parentId === parent).map(tree);
  const tree = ({ name, kind, service, attributes, events, spanId }: CollectedSpan): SpanTree => ({
    ...{ name, kind, service, attributes, events },
    children: below(spanId),
  });
  return ours.filter(({ parentId }) => !known.has(parentId)).map(tree);
}

/** Names alone, each with those within: `a(b c(d))`. */
export function outlineOf(trees: readonly SpanTree[]): string {
  return trees
    .map(({ name, children }) => (children.length === 0 ? name : `${name} (${outlineOf(children)})`))
    .join("; ");
}
