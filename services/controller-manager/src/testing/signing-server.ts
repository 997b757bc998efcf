import type { Client } from "@orch/client/http/http.js";
import type { ApiObject } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";

/** A server of requests for certificates that answers questions of access as the test says. */
export function createSigningServer(options: { readonly allowed?: (subresource: unknown) => boolean } = {}) {
  const objects = new Map<string, ApiObject>();
  const log: string[] = [];
  const reviews: unknown[] = [];
  let version = 0;
  let failure: ApiError | undefined;
  const events: string[] = [];
  const wake = new Set<() => void>();
  const fail = (): void => {
    const error = failure;
    failure = undefined;
    if (error !== undefined) throw error;
  };
  const store = (object: ApiObject): ApiObject => {
    const name = object.metadata.name ?? "";
    const stored = { ...object, metadata: { ...object.metadata, uid: name, resourceVersion: String(++version) } };
    const type = objects.has(name) ? "MODIFIED" : "ADDED";
    objects.set(name, stored);
    events.push(`${JSON.stringify({ type, object: stored })}\n`);
    for (const next of wake) next();
    return stored;
  };
  const client: Pick<Client, "list" | "stream" | "update" | "delete" | "create" | "raw" | "get"> = {
    async list() {
      fail();
      return { resourceVersion: String(version), continue: "", items: [...objects.values()] };
    },
    async stream({ query, signal }) {
      // Every version is an event.
      let at = Number(query?.["resourceVersion"]);
      return {
        async *[Symbol.asyncIterator]() {
          while (signal?.aborted !== true) {
            for (; at < events.length; at++) yield Buffer.from(events[at] ?? "");
            await new Promise<void>((resolve) => {
              wake.add(resolve);
              signal?.addEventListener("abort", () => resolve());
            });
          }
        },
        destroy: () => {},
      };
    },
    async update(_collection, object, how) {
      log.push(`update ${object.metadata.name}/${how?.subresource}`);
      fail();
      return store(object);
    },
    async delete(_collection, name, how) {
      log.push(`delete ${name} ${JSON.stringify(how?.preconditions)}`);
      fail();
      objects.delete(name);
      return {};
    },
    async create(_collection, object) {
      fail();
      reviews.push(object["spec"]);
      const spec = JSON.parse(JSON.stringify(object["spec"]));
      return { metadata: {}, status: { allowed: options.allowed?.(spec.resourceAttributes.subresource) === true } };
    },
    raw: () => Promise.reject(new ApiError("NotFound", "not here")),
    get: () => Promise.reject(new ApiError("NotFound", "not here")),
  };
  return {
    client,
    log,
    reviews,
    store,
    object: (name: string) => objects.get(name),
    names: () => [...objects.keys()],
    failOnce: (error: ApiError) => {
      failure = error;
    },
  };
}

export const never: AbortSignal = new AbortController().signal;

/** Waits until a condition holds that comes about by itself. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
