import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { ApiObject, ObjectMeta } from "../objects.js";
import { testCertificate, testKey } from "./test-certificate.js";

type Stored = ApiObject & {
  readonly metadata: ObjectMeta & { readonly name: string; readonly resourceVersion: string };
};

interface Change {
  readonly version: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Stored;
}

export interface WireServer {
  readonly url: string;
  /** Methods and addresses in the order they came. */
  readonly requests: readonly string[];
  readonly lastHeaders: () => Readonly<Record<string, unknown>>;
  /** The client's port of the last request: another one is another connection. */
  readonly lastPort: () => number | undefined;
  put(name: string, data: string): void;
  remove(name: string): void;
  bookmark(): void;
  /** Forgets history: watches from before the present version get 410. */
  compact(): void;
  /** Ends the open watches in order, or by cutting their connections. */
  endWatches(how: "ended" | "cut"): void;
  /** Resolves when a watch is open. */
  watched(): Promise<void>;
  /** Answers the next request with this instead. */
  next(answer: (req: IncomingMessage, res: ServerResponse) => void): void;
  /** Writes bytes to the open watches. */
  write(text: string): void;
  close(): Promise<void>;
}

/** One collection of config maps over real TLS in the interface's wire format, small enough to see through. */
export async function startWireServer(): Promise<WireServer> {
  const objects = new Map<string, Stored>();
  const changes: Change[] = [];
  const watchers = new Set<ServerResponse>();
  const answers: ((req: IncomingMessage, res: ServerResponse) => void)[] = [];
  const requests: string[] = [];
  let headers: Readonly<Record<string, unknown>> = {};
  let port: number | undefined;
  let version = 100;
  let oldest = 100;
  let onWatch = (): void => {};

  const send = (res: ServerResponse, code: number, body: unknown): void => {
    res.writeHead(code, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
  };
  const status = (code: number, reason: string, message: string) => ({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason,
    message,
    code,
  });
  const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
  const announce = (change: Change): void => {
    changes.push(change);
    for (const res of watchers) res.write(line(change.type, change.object));
  };
  const store = (name: string, data: unknown): Stored => {
    const type = objects.has(name) ? "MODIFIED" : "ADDED";
    const metadata = { name, namespace: "obs", uid: `u-${name}`, resourceVersion: String(++version) };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    objects.set(name, object);
    announce({ version, type, object });
    return object;
  };
  const remove = (name: string): Stored | undefined => {
    const object = objects.get(name);
    if (object === undefined) return undefined;
    objects.delete(name);
    const gone = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    announce({ version, type: "DELETED", object: gone });
    return gone;
  };
  const list = (query: URLSearchParams, res: ServerResponse): void => {
    const [at = "0", of = String(version)] = (query.get("continue") ?? "").split("@");
    if (Number(of) < oldest) {
      send(res, 410, status(410, "Expired", "the token is too old"));
      return;
    }
    const start = Number(at);
    const limit = Number(query.get("limit") ?? 0) || objects.size;
    const items = [...objects.values()].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
    const more = items.length - start - limit;
    const token = more > 0 ? { continue: `${start + limit}@${of}`, remainingItemCount: more } : {};
    send(res, 200, {
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: of, ...token },
      items: items.slice(start, start + limit),
    });
  };
  const openWatch = (query: URLSearchParams, res: ServerResponse): void => {
    const from = Number(query.get("resourceVersion") ?? version);
    res.writeHead(200, { "content-type": "application/json" });
    res.flushHeaders();
    if (from < oldest) return void res.end(line("ERROR", status(410, "Expired", `too old resource version: ${from}`)));
    for (const change of changes) if (change.version > from) res.write(line(change.type, change.object));
    watchers.add(res);
    res.on("close", () => watchers.delete(res));
    onWatch();
  };

  const server = createServer({ cert: testCertificate, key: testKey }, async (req, res) => {
    requests.push(`${req.method} ${req.url}`);
    headers = req.headers;
    port = req.socket.remotePort;
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const answer = answers.shift();
    if (answer !== undefined) return answer(req, res);
    const url = new URL(req.url ?? "", "https://x");
    const name = /\/configmaps\/([^/]+)$/.exec(url.pathname)?.[1];
    if (!url.pathname.startsWith("/api/v1/namespaces/obs/configmaps"))
      return void res.writeHead(404).end("404 page not found\n");
    if (req.method === "GET" && url.searchParams.get("watch") === "true") return openWatch(url.searchParams, res);
    if (req.method === "GET" && name === undefined) return list(url.searchParams, res);
    const body = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
    if (req.method === "POST") return send(res, 201, store(body.metadata.name, body.data));
    const object = objects.get(name ?? "");
    if (req.method === "DELETE" && name === undefined) {
      for (const key of [...objects.keys()]) remove(key);
      return send(res, 200, { ...status(200, "", ""), status: "Success" });
    }
    if (object === undefined) return send(res, 404, status(404, "NotFound", `configmaps "${name}" not found`));
    if (req.method === "DELETE") return send(res, 200, remove(object.metadata.name));
    if (req.method !== "GET") return send(res, 200, store(object.metadata.name, body.data));
    send(res, 200, object);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return {
    url: `https://127.0.0.1:${address.port}`,
    requests,
    lastHeaders: () => headers,
    lastPort: () => port,
    put: (name, data) => void store(name, { value: data }),
    remove: (name) => void remove(name),
    bookmark() {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion: String(version) } };
      for (const res of watchers) res.write(line("BOOKMARK", object));
    },
    compact() {
      oldest = ++version;
    },
    endWatches(how) {
      for (const res of watchers) {
        if (how === "cut") res.destroy();
        else res.end();
      }
      watchers.clear();
    },
    watched() {
      return watchers.size > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onWatch = resolve;
          });
    },
    next: (answer) => void answers.push(answer),
    write(text) {
      for (const res of watchers) res.write(text);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
