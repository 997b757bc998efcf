import type { ListRequest } from "@orch/rpc/messages.js";
import type { Span } from "@orch/status/span.js";
import type { Readable } from "../readable.js";
import type { ListTold } from "./list.js";
import type { ListBody } from "./list-body.js";

interface Listed {
  readonly readable: Readable;
  readonly request: ListRequest;
}

/** A list by the reference's spans: from memory, or from the store; `span` is its handler's. */
export async function listTraced(
  span: Span,
  { readable, request }: Listed,
  run: (told: ListTold) => Promise<ListBody>,
): Promise<ListBody> {
  const { group, plural } = readable.kind;
  const type = group === "" ? plural : `${plural}.${group}`;
  const cached = span.child("cacher.GetList", { "audit-id": span.auditId, type });
  let stored: Span | undefined;
  try {
    const body = await run((source) => {
      cached.event("Ready");
      if (source === "store")
        stored = cached.child("List(recursive=true) etcd3", storeAttributes(span, readable, request));
    });
    cached.event(stored === undefined ? "Listed items from cache" : "Listed items from the store", {
      count: body.items.length,
    });
    span.event("Listing from storage done");
    span.event("Writing http response done", { count: body.items.length });
    return body;
  } finally {
    stored?.end();
    cached.end();
  }
}

function storeAttributes({ auditId }: Span, { kind }: Readable, request: ListRequest) {
  const { namespace, limit, continueToken, resourceVersion, resourceVersionMatch } = request;
  return {
    "audit-id": auditId,
    key: `/${kind.storage.prefix}${namespace === "" ? "" : `/${namespace}`}`,
    continue: continueToken,
    ...{ limit, resourceVersion, resourceVersionMatch },
  };
}
