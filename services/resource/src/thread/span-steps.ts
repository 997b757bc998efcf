import type { Attributes, Span, SpanContext } from "@orch/status/span.js";

/** What a write in the thread tells of its span, `of` 0, and of those within it. */
export type SpanStep =
  | {
      readonly type: "child";
      readonly of: number;
      readonly id: number;
      readonly name: string;
      readonly attributes: Attributes | undefined;
    }
  | {
      readonly type: "event";
      readonly of: number;
      readonly name: string;
      readonly attributes: Attributes | undefined;
      /** Milliseconds since 1970. */
      readonly at: number;
    }
  | { readonly type: "set"; readonly of: number; readonly attributes: Attributes }
  | { readonly type: "end"; readonly of: number; readonly failure: string | undefined };

export interface FarSpanDeps {
  readonly tell: (step: SpanStep) => void;
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number;
}

/** The span of a write as the thread has it: the main thread is told, and makes the spans. */
export function farSpan(context: SpanContext, { tell, now }: FarSpanDeps): Span {
  let last = 0;
  const spanOf = (of: number): Span => ({
    // The thread asks nobody outside: nothing is told of spans within.
    ...context,
    child(name, attributes) {
      const id = ++last;
      tell({ type: "child", of, id, name, attributes });
      return spanOf(id);
    },
    event: (name, attributes, at = now()) => tell({ type: "event", of, name, attributes, at }),
    set: (attributes) => tell({ type: "set", of, attributes }),
    end: (failure) => tell({ type: "end", of, failure }),
  });
  return spanOf(0);
}

/** The other end. */
export interface NearSpan {
  readonly span: Span;
  take(step: SpanStep): void;
  /** Ends what is open within it, as where the thread has ended; the write's own span is its owner's. */
  end(): void;
}

export function nearSpan(span: Span): NearSpan {
  const spans = new Map<number, Span>([[0, span]]);
  return {
    span,
    take(step) {
      const one = spans.get(step.of);
      if (one === undefined) return;
      switch (step.type) {
        case "child":
          spans.set(step.id, one.child(step.name, step.attributes));
          return;
        case "event":
          return one.event(step.name, step.attributes, step.at);
        case "set":
          return one.set(step.attributes);
        case "end":
          spans.delete(step.of);
          return one.end(step.failure);
      }
    },
    end() {
      for (const [id, one] of spans) if (id !== 0) one.end();
      spans.clear();
    },
  };
}
