import type { Client, RawRequest } from "@orch/client/http/http.js";
import type { StreamBody } from "@orch/client/http/transport.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";

/** A server's collections in memory, as controllers see them: versions, preconditions, watches. */
export interface MemoryServer {
  readonly client: Client;
  /** Stores an object as somebody else would; `path` is `<resource>/[<namespace>/]<name>`. */
  put(path: string, object?: object): ApiObject;
  remove(path: string): void;
  at(path: string): ApiObject | undefined;
  /** Writes that came over the client: `update secrets/ns/s`. */
  readonly writes: readonly string[];
  /** The next request of this kind fails: `get secrets/ns/s`. */
  failOnce(request: string, error: ApiError): void;
}

type Event = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject };

/** A merge patch; of lists of conditions, as strategic patches have it, each of a type takes the place of the one before. */
function mergedWith(before: unknown, patch: unknown, field = ""): unknown {
  if (field === "conditions" && Array.isArray(before) && Array.isArray(patch)) {
    return [...before.filter((old) => !patch.some(({ type }) => type === old.type)), ...patch];
  }
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(before) ? { ...before } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergedWith(merged[name], value, name);
  }
  return merged;
}

const never = (): never => {
  throw new ApiError("NotImplemented", "this server does not do that");
};

export function createMemoryServer(): MemoryServer {
  const objects = new Map<string, ApiObject>();
  const events: { readonly path: string; readonly version: number; readonly event: Event }[] = [];
  const failures = new Map<string, ApiError>();
  const writes: string[] = [];
  let wake: (() => void)[] = [];
  let version = 0;

  const pathOf = ({ resource, namespace }: Collection, name: string): string =>
    [resource, ...(namespace === undefined ? [] : [namespace]), name].join("/");
  const wakeAll = (): void => {
    for (const waiting of wake.splice(0)) waiting();
  };
  const tell = (path: string, event: Event): void => {
    events.push({ path, version, event });
    wakeAll();
  };
  const put = (path: string, given: object = {}): ApiObject => {
    const [, ...place] = path.split("/");
    const name = place.pop() ?? "";
    const [namespace] = place;
    const before = objects.get(path);
    const { metadata, ...rest }: Partial<ApiObject> = given;
    const object: ApiObject = {
      ...rest,
      metadata: {
        uid: before?.metadata.uid ?? `uid-${name}`,
        ...metadata,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        resourceVersion: String(++version),
      },
    };
    objects.set(path, object);
    tell(path, { type: before === undefined ? "ADDED" : "MODIFIED", object });
    return object;
  };
  const remove = (path: string): void => {
    const object = objects.get(path);
    if (!objects.delete(path) || object === undefined) return;
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    tell(path, { type: "DELETED", object: last });
  };
  const selects = (place: string, selector: unknown): ((path: string, object: ApiObject) => boolean) => {
    const [field, value] = typeof selector === "string" ? selector.split("=") : [];
    return (path, object) => {
      if (!path.startsWith(`${place}/`)) return false;
      if (field === undefined) return true;
      return (field === "metadata.name" ? object.metadata.name : object[field]) === value;
    };
  };
  const begin = (verb: string, path: string): void => {
    const failure = failures.get(`${verb} ${path}`);
    failures.delete(`${verb} ${path}`);
    if (failure !== undefined) throw failure;
  };
  const found = (path: string): ApiObject => {
    const object = objects.get(path);
    if (object === undefined) throw new ApiError("NotFound", `${path} not found`);
    return object;
  };

  const stream = async ({ path, query = {}, signal }: RawRequest): Promise<StreamBody> => {
    const wanted = selects(path.split("/").at(-1) ?? "", query["fieldSelector"]);
    let seen = events.findIndex((e) => e.version > Number(query["resourceVersion"]));
    if (seen < 0) seen = events.length;
    const isOver = (): boolean => signal?.aborted === true;
    signal?.addEventListener("abort", wakeAll, { once: true });
    const lines = async function* (): AsyncGenerator<Buffer, void, void> {
      while (!isOver()) {
        for (; seen < events.length; seen++) {
          const next = events[seen];
          if (next === undefined || !wanted(next.path, next.event.object)) continue;
          yield Buffer.from(`${JSON.stringify(next.event)}\n`);
        }
        // Nobody wakes one that was reading its events when it was told to end.
        if (isOver()) return;
        await new Promise<void>((resolve) => {
          wake.push(resolve);
        });
      }
    };
    return Object.assign(lines(), { destroy: () => undefined });
  };

  const client: Client = {
    raw: never,
    stream,
    deleteCollection: never,
    close: async () => {
      wake = [];
    },
    async list({ resource, namespace }, { fieldSelector } = {}) {
      const wanted = selects(namespace === undefined ? resource : `${resource}/${namespace}`, fieldSelector);
      const items = [...objects].filter(([path, object]) => wanted(path, object)).map(([, object]) => object);
      return { resourceVersion: String(version), continue: "", items };
    },
    async get(collection, name) {
      const path = pathOf(collection, name);
      begin("get", path);
      return found(path);
    },
    async create(collection, object) {
      const { name = `${object.metadata["generateName"] ?? ""}${version}` } = object.metadata;
      const path = pathOf(collection, name);
      begin("create", path);
      if (objects.has(path)) throw new ApiError("AlreadyExists", path);
      writes.push(`create ${path}`);
      return put(path, object);
    },
    async update(collection, object) {
      const path = pathOf(collection, object.metadata.name ?? "");
      begin("update", path);
      const { resourceVersion } = found(path).metadata;
      if (object.metadata.resourceVersion !== resourceVersion) throw new ApiError("Conflict", path);
      writes.push(`update ${path}`);
      return put(path, object);
    },
    async patch(collection, name, { body }) {
      const path = pathOf(collection, name);
      begin("patch", path);
      const before = found(path);
      const { metadata = {} }: Partial<ApiObject> = isRecord(body) ? body : {};
      for (const field of ["uid", "resourceVersion"] as const) {
        if (metadata[field] !== undefined && metadata[field] !== before.metadata[field]) {
          throw new ApiError("Conflict", path);
        }
      }
      const merged = mergedWith(before, body);
      if (!isRecord(merged)) throw new ApiError("BadRequest", path);
      writes.push(`patch ${path}`);
      return put(path, merged);
    },
    async delete(collection, name, { preconditions } = {}) {
      const path = pathOf(collection, name);
      begin("delete", path);
      const { uid } = found(path).metadata;
      if (preconditions?.uid !== undefined && preconditions.uid !== uid) throw new ApiError("Conflict", path);
      writes.push(`delete ${path}`);
      remove(path);
      return {};
    },
  };
  return { client, put, remove, at: (path) => objects.get(path), writes, failOnce: (r, e) => void failures.set(r, e) };
}
