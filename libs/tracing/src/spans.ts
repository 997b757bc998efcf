import type { Attributes, RemoteSpan, Span, SpanContext, SpanEvent } from "@orch/status/span.js";

/** Of a request that is not to be traced: whoever is asked next hears so, and nothing is kept. */
export function passedOn(context: SpanContext): Span {
  const span: Span = { ...context, child: () => span, event() {}, set() {}, end() {} };
  return span;
}

/** As many events as a call of a peer can tell of. */
const mostEvents = 64;

/** A peer's span: what happens to it here travels back, and its children are made here. */
export function remoteSpan(context: SpanContext, deps: RemoteDeps): RemoteSpan {
  const events: SpanEvent[] = [];
  return {
    ...context,
    child: (name, attributes) => deps.child(name, attributes),
    event(name, attributes = none, at = deps.now()) {
      if (events.length < mostEvents) events.push({ name, at, attributes });
    },
    // Both are its owner's.
    set() {},
    end() {},
    told: () => (events.length === 0 ? "" : JSON.stringify(events)),
  };
}

export interface RemoteDeps {
  readonly child: (name: string, attributes: Attributes | undefined) => Span;
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number;
}

const none: Attributes = {};

/** The same where the peer's request is not to be traced. */
export function passedOnRemote(context: SpanContext): RemoteSpan {
  return { ...passedOn(context), told: () => "" };
}
