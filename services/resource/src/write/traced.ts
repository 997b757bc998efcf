import { messageOf } from "@orch/status/message-of.js";
import type { Attributes, Span } from "@orch/status/span.js";
import type { Write } from "./write.js";

/** Something that happened on a write's way, in the reference's words. */
export function tell({ span }: Write, event: string, attributes?: Attributes): void {
  span?.event(event, attributes);
}

/** What became of the whole: told where there is a span, and passed through. */
export function tellStored<T>(write: Write, stored: Promise<T>): Promise<T> {
  const { span, request } = write;
  if (span === undefined) return stored;
  const len = request.body.length;
  return stored.then(
    (value) => {
      span.event("Write to database call succeeded", { len });
      return value;
    },
    (error: unknown) => {
      span.event("Write to database call failed", { len, err: messageOf(error) });
      throw error;
    },
  );
}

/** The span of storing an object, by the reference's name; undefined where nothing is traced. */
export function storeSpan(write: Write, name: string, objectName: string): Span | undefined {
  const { span, kind } = write;
  return span?.child(name, {
    "audit-id": span.auditId,
    key: spanKey(write, objectName),
    resource: kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`,
    type: kind.kind,
  });
}

/** Runs what a span is about, and ends it. */
export async function within<T>(span: Span | undefined, run: () => Promise<T>): Promise<T> {
  if (span === undefined) return run();
  try {
    return await run();
  } finally {
    span.end();
  }
}

/** Reading the state that a write begins from. */
export function readTraced<T>(write: Write, objectName: string, read: () => Promise<T>): Promise<T> {
  const { span } = write;
  if (span === undefined) return read();
  const reading = span.child("cacher.Get", {
    "audit-id": span.auditId,
    key: spanKey(write, objectName),
    "resource-version": "",
  });
  reading.event("About to Get from underlying storage");
  return within(reading, read);
}

/** Without what all keys of the store begin with. */
function spanKey({ kind, request }: Write, objectName: string): string {
  const namespace = kind.namespaced && request.namespace !== "" ? `${request.namespace}/` : "";
  return `/${kind.storage.prefix}/${namespace}${objectName}`;
}
