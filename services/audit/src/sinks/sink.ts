import type { EventLine } from "@orch/audit/event.js";

/**
 * Where events end: a file, a webhook, a topic. It is told of events in their order, the next ones once it has answered, and of the
 * same ones again after a failure: it may have had them.
 */
export interface Sink {
  /** What its metrics and its place in the spool are called. */
  readonly name: string;
  /** Settles when the events are where they belong; never rejects. */
  write(batch: readonly EventLine[]): Promise<Written>;
  /** The same for lines with their ends, of a sink on this machine that keeps them so; it may be called beside `write`. */
  writeLines?(lines: Buffer): Promise<Written>;
  close(): Promise<void>;
}

export type Written =
  | { readonly outcome: "written" }
  /** It may work later. */
  | { readonly outcome: "failed"; readonly why: string }
  /** These events will never be taken, at least not together. */
  | { readonly outcome: "refused"; readonly why: string };

export const written: Written = { outcome: "written" };
