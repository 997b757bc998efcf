import type { Client } from "@orch/client/http/http.js";
import type { ApiObject } from "@orch/client/objects.js";

/** Collections in memory, by resource, whose watches are told of each change. */
export interface WatchedServer {
  readonly client: Pick<Client, "list" | "stream">;
  /** How many watch a resource. */
  watches(resource: string): number;
  get(resource: string, name: string): ApiObject | undefined;
  /** Stores it under its name, with a new version. */
  put(resource: string, object: ApiObject): void;
  remove(resource: string, name: string): void;
}

export function createWatchedServer(): WatchedServer {
  const objects = new Map<string, Map<string, ApiObject>>();
  const watchers = new Map<string, Set<(line: string) => void>>();
  let version = 0;
  const of = (resource: string) => objects.get(resource) ?? new Map<string, ApiObject>();
  const versioned = (object: ApiObject): ApiObject => ({
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(++version) },
  });
  const history: { readonly resource: string; readonly version: number; readonly line: string }[] = [];
  const tell = (resource: string, type: string, object: ApiObject): void => {
    const line = `${JSON.stringify({ type, object })}\n`;
    history.push({ resource, version, line });
    for (const send of watchers.get(resource) ?? []) send(line);
  };
  return {
    client: {
      async list({ resource }) {
        return { resourceVersion: String(version), continue: "", items: [...of(resource).values()] };
      },
      async stream({ path, query, signal }) {
        const resource = path.slice(path.lastIndexOf("/") + 1);
        const from = Number(query?.["resourceVersion"]);
        const lines = history.filter((h) => h.resource === resource && h.version > from).map((h) => h.line);
        let wake = (): void => {};
        const send = (line: string): void => {
          lines.push(line);
          wake();
        };
        signal?.addEventListener("abort", () => wake());
        const known = watchers.get(resource) ?? new Set();
        watchers.set(resource, known.add(send));
        return {
          async *[Symbol.asyncIterator]() {
            while (signal?.aborted !== true) {
              for (const line of lines.splice(0)) yield Buffer.from(line);
              await new Promise<void>((resolve) => {
                wake = resolve;
                if (lines.length > 0) resolve();
              });
            }
          },
          destroy: () => known.delete(send),
        };
      },
    },
    watches: (resource) => watchers.get(resource)?.size ?? 0,
    get: (resource, name) => of(resource).get(name),
    put(resource, given) {
      const object = versioned(given);
      const { name = "" } = object.metadata;
      const type = of(resource).has(name) ? "MODIFIED" : "ADDED";
      objects.set(resource, of(resource).set(name, object));
      tell(resource, type, object);
    },
    remove(resource, name) {
      const object = of(resource).get(name);
      if (object === undefined) return;
      of(resource).delete(name);
      tell(resource, "DELETED", versioned(object));
    },
  };
}
