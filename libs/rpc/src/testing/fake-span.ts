import { type Attributes, type JoinTrace, readSpanText, type Span, type SpanEvent } from "@orch/status/span.js";

/** A span that tells what it was told. */
export interface FakeSpan extends Span {
  readonly told: readonly string[];
}

export function fakeSpan(): FakeSpan {
  const told: string[] = [];
  const span: FakeSpan = {
    ...{ traceparent: "parent", tracestate: "state", auditId: "audit, id" },
    told,
    child: () => span,
    event: (name, attributes) => void told.push(`${name} ${JSON.stringify(attributes)}`),
    set() {},
    end() {},
  };
  return span;
}

/** Joins whatever comes, as libs/tracing does. */
export const joinAny: JoinTrace = (text) => {
  const events: SpanEvent[] = [];
  const span = {
    ...readSpanText(text),
    child: () => span,
    event: (name: string, attributes: Attributes = {}) => void events.push({ name, at: 1, attributes }),
    set() {},
    end() {},
    told: () => (events.length === 0 ? "" : JSON.stringify(events)),
  };
  return span;
};
