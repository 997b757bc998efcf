import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { type ApiObject, isApiObject, isRecord } from "@orch/client/objects.js";
import type { EventReader } from "./event-readers.js";
import type { Target } from "./target.js";
import { readWatch, type WatchStream } from "./watch-stream.js";

export type Credentials =
  | { readonly type: "admin" }
  | { readonly type: "certificate" }
  | { readonly type: "anonymous" }
  | { readonly type: "token"; readonly token: string }
  /** The administrator, taken for somebody else. */
  | { readonly type: "user"; readonly name: string; readonly groups?: readonly string[] };

export type Query = Readonly<Record<string, string | number | boolean>>;

/** One request, exactly as it goes over the wire. */
export interface Call {
  readonly method?: string;
  /** With its leading slash; may carry a query of its own. */
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** An object is sent as JSON; text and bytes go as they are. */
  readonly body?: object | string | Buffer;
  readonly as?: Credentials;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
  /** @throws SyntaxError */
  json(): unknown;
  /** Value at a dotted path of the JSON body; numbers are indexes. */
  at(path: string): unknown;
  /** The body as an object. @throws Error when it is none */
  object(): ApiObject;
  /** The objects of a list body. @throws Error when it is none */
  items(): readonly ApiObject[];
}

/** In which encoding a watch is asked for, and how its events are read. */
export interface WatchEncoding {
  readonly accept: string;
  /** Lines of JSON where absent. */
  readonly read?: EventReader;
  /** What the answer must say it is; not looked at where absent. */
  readonly contentType?: string;
}

/** An HTTPS client with full control of the request, taking turns among the target's gateways. */
export interface Http {
  call(call: Call): Promise<Answer>;
  get(path: string, query?: Query): Promise<Answer>;
  post(path: string, body: object, query?: Query): Promise<Answer>;
  put(path: string, body: object, query?: Query): Promise<Answer>;
  /** `type` is the word before `-patch`: json, merge, strategic-merge, apply. */
  patch(path: string, type: PatchType, body: object | string, query?: Query): Promise<Answer>;
  delete(path: string, query?: Query, body?: object): Promise<Answer>;
  /** Opens a watch; settles once its response has begun. @throws Error for any answer but 200 */
  watch(path: string, query?: Query, encoding?: WatchEncoding, as?: Credentials): Promise<WatchStream>;
  close(): void;
}

export type PatchType = "json" | "merge" | "strategic-merge" | "apply";

const patchTypes: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  "strategic-merge": "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

const admin: Credentials = { type: "admin" };
/** Far over what any answer needs: a hang is told as one, not as a test that was killed. */
const patienceMs = 60_000;

export function connect(target: Target, options: { readonly gateway?: number } = {}): Http {
  const { ca, admin: pair } = target.pki;
  const plain = new Agent({ keepAlive: true, ca, maxSockets: 32 });
  const certified = new Agent({ keepAlive: true, ca, cert: pair.certificate, key: pair.key });
  const urls = options.gateway === undefined ? target.urls : target.urls.slice(options.gateway, options.gateway + 1);
  let turn = 0;

  const begin = (call: Call): Promise<IncomingMessage> => {
    const as = call.as ?? admin;
    const { type, bytes } = bodyOf(call.body);
    const url = new URL(urls[turn++ % urls.length] ?? "");
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: url.hostname,
          port: url.port,
          agent: as.type === "certificate" ? certified : plain,
          method: call.method ?? "GET",
          path: call.path + queryText(call.query),
          headers: {
            ...identityHeaders(as, target),
            ...(type === undefined ? {} : { "content-type": type }),
            ...(bytes === undefined ? {} : { "content-length": String(bytes.length) }),
            ...call.headers,
          },
        },
        (response) => {
          sent.setTimeout(0);
          resolve(response);
        },
      );
      sent.setTimeout(patienceMs, () => sent.destroy(new Error(`${call.method ?? "GET"} ${call.path}: no answer`)));
      sent.on("error", reject);
      sent.end(bytes);
    });
  };
  const call = async (asked: Call): Promise<Answer> => answerOf(await begin(asked));

  return {
    call,
    get: (path, query = {}) => call({ path, query }),
    post: (path, body, query = {}) => call({ method: "POST", path, body, query }),
    put: (path, body, query = {}) => call({ method: "PUT", path, body, query }),
    patch: (path, type, body, query = {}) =>
      call({ method: "PATCH", path, query, body, headers: { "content-type": patchTypes[type] } }),
    delete: (path, query = {}, body) =>
      call({ method: "DELETE", path, query, ...(body === undefined ? {} : { body }) }),
    async watch(path, query = {}, encoding, as = admin) {
      const headers = encoding === undefined ? {} : { accept: encoding.accept };
      const response = await begin({ path, query: { watch: true, ...query }, headers, as });
      const type = response.headers["content-type"];
      if (response.statusCode === 200 && type !== (encoding?.contentType ?? type)) {
        response.destroy();
        throw new Error(`watch of ${path}: ${type} and not ${encoding?.contentType}`);
      }
      if (response.statusCode === 200) return readWatch(response, encoding?.read);
      const { status, text } = await answerOf(response);
      throw new Error(`watch of ${path}: ${status} ${text}`);
    },
    close() {
      plain.destroy();
      certified.destroy();
    },
  };
}

function identityHeaders(as: Credentials, { pki }: Target): Record<string, string | string[]> {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  switch (as.type) {
    case "admin":
      return bearer(pki.adminToken);
    case "token":
      return bearer(as.token);
    case "user":
      return {
        ...bearer(pki.adminToken),
        "Impersonate-User": as.name,
        ...(as.groups === undefined ? {} : { "Impersonate-Group": [...as.groups] }),
      };
    default:
      return {};
  }
}

function bodyOf(body: Call["body"]): { readonly type?: string; readonly bytes?: Buffer } {
  if (body === undefined) return {};
  if (Buffer.isBuffer(body)) return { bytes: body };
  if (typeof body === "string") return { bytes: Buffer.from(body) };
  return { type: "application/json", bytes: Buffer.from(JSON.stringify(body)) };
}

function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return parameters.size === 0 ? "" : `?${parameters}`;
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(Buffer.isBuffer(part) ? part : Buffer.from(String(part)));
  const bytes = Buffer.concat(parts);
  const text = bytes.toString("utf8");
  const json = (): unknown => JSON.parse(text);
  const described = (): string => `${response.statusCode} ${text.slice(0, 500)}`;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    bytes,
    json,
    at: (path) => valueAt(json(), path),
    object() {
      const value = json();
      if (isApiObject(value)) return value;
      throw new Error(`no object: ${described()}`);
    },
    items() {
      const items = valueAt(json(), "items");
      if (Array.isArray(items) && items.every(isApiObject)) return items;
      throw new Error(`no list: ${described()}`);
    },
  };
}

/** The value with another one at a dotted path; what is missing on the way is made. */
export function withValueAt(value: unknown, path: string, at: unknown): unknown {
  const [name = "", ...rest] = path.split(".");
  const inner = (old: unknown): unknown => (rest.length === 0 ? at : withValueAt(old, rest.join("."), at));
  if (Array.isArray(value)) return value.map((item: unknown, i) => (String(i) === name ? inner(item) : item));
  return { ...(isRecord(value) ? value : {}), [name]: inner(isRecord(value) ? value[name] : undefined) };
}

/** Value at a dotted path; numbers are indexes. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split(".")) {
    if (typeof at !== "object" || at === null) return undefined;
    at = new Map<string, unknown>(Object.entries(at)).get(name);
  }
  return at;
}
