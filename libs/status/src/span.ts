import { readJson } from "./read-json.js";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/**
 * A piece of work of a trace. Whoever takes part in a request's work is given the request's span where it has one, and
 * nothing where it has none, which is almost always: `span?.event("…")`.
 */
export interface Span {
  /** As the header of this name has it (W3C Trace Context): this span as the parent of others' work. */
  readonly traceparent: string;
  /** As the header of this name has it; "" where there is none. */
  readonly tracestate: string;
  /** Of the request, cut to 64 characters; "" where there is none. */
  readonly auditId: string;
  /** A piece of work within this one. */
  child(name: string, attributes?: Attributes): Span;
  /** Something that happened: now, or at a moment in milliseconds since 1970. */
  event(name: string, attributes?: Attributes, at?: number): void;
  set(attributes: Attributes): void;
  /** The work is over; `failure` says why it failed. Later calls do nothing. */
  end(failure?: string): void;
}

/** The span of another process as its peer sees it: its events travel back with the answer. */
export interface RemoteSpan extends Span {
  /** The events so far, for {@link tellEvents}; "" where there are none. */
  told(): string;
}

/** Makes a span of what {@link spanText} gave in another process; undefined for what is no such text. */
export type JoinTrace = (text: string) => RemoteSpan | undefined;

/** A span for its way to another process: a line each for its context, its request and its state. */
export function spanText({ traceparent, auditId, tracestate }: Span): string {
  return `${traceparent}\n${auditId}\n${tracestate}`;
}

export interface SpanContext {
  readonly traceparent: string;
  readonly auditId: string;
  readonly tracestate: string;
}

/** The other way round; what stands there is not judged. */
export function readSpanText(text: string): SpanContext {
  const [traceparent = "", auditId = "", tracestate = ""] = text.split("\n");
  return { traceparent, auditId, tracestate };
}

export interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
}

/** Adds events that came from another process. What is none is passed over. */
export function tellEvents(span: Span, text: string): void {
  for (const event of eventsOf(text)) {
    if (isEvent(event)) span.event(event.name, event.attributes, event.at);
  }
}

function eventsOf(text: string): readonly unknown[] {
  try {
    const events: unknown = readJson(text);
    return Array.isArray(events) ? events : [];
  } catch {
    return [];
  }
}

function isEvent(value: unknown): value is SpanEvent {
  if (typeof value !== "object" || value === null) return false;
  if (!("name" in value && "at" in value && "attributes" in value)) return false;
  const { name, at, attributes } = value;
  return typeof name === "string" && typeof at === "number" && typeof attributes === "object" && attributes !== null;
}

/** The headers by which a question to somebody outside joins the trace. */
export function traceHeaders(span: Span | undefined): Readonly<Record<string, string>> {
  if (span === undefined) return none;
  const { traceparent, tracestate } = span;
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}

const none: Readonly<Record<string, string>> = {};
