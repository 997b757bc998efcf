import type { Attributes, Span } from "../span.js";

/** A span that keeps what it is told; its children's parents are told by their names. */
export interface ToldSpan extends Span {
  readonly name: string;
  /** `child NAME`, `event NAME`, `set {…}`, `end`, `end FAILURE`, of this span and those within it. */
  readonly told: readonly string[];
}

export function toldSpan(name = "root", told: string[] = []): ToldSpan {
  const within = (what: string): void => void told.push(`${name}: ${what}`);
  const shown = (attributes: Attributes | undefined): string =>
    attributes === undefined ? "" : ` ${JSON.stringify(attributes)}`;
  return {
    ...{ name, told, traceparent: `00-${name}`, tracestate: "a=b", auditId: "audit" },
    child(childName, attributes) {
      within(`child ${childName}${shown(attributes)}`);
      return toldSpan(childName, told);
    },
    event: (event, attributes) => within(`event ${event}${shown(attributes)}`),
    set: (attributes) => within(`set${shown(attributes)}`),
    end: (failure) => within(failure === undefined ? "end" : `end ${failure}`),
  };
}
