import type { UserInfo } from "@orch/auth/user.js";
import { type Span, traceHeaders } from "@orch/status/span.js";
import type { DistinctHeaders } from "../http/request.js";
import type { HeaderList } from "../http/response.js";

/** The headers in which a server that trusts us is told who sends a request. */
export interface UserHeaders {
  readonly username: string;
  readonly uid: string;
  readonly group: string;
  readonly extraPrefix: string;
}

export interface Passing {
  readonly headers: DistinctHeaders;
  /** Whom the other side is told of, and how; nobody where absent. */
  readonly onBehalf?: { readonly user: UserInfo; readonly userHeaders: UserHeaders };
  /** Every name and prefix by which a front proxy may tell us of a user: nobody else's word for that goes on. */
  readonly secret: SecretHeaders;
  /** Of the request here: `Audit-Id`. */
  readonly id: string;
  /** Address of the client. */
  readonly address: string;
  /** Undecoded, without the query. */
  readonly path: string;
  /** The host that the client asked for. */
  readonly host: string;
  /** The protocol in which the client wants to go on. */
  readonly upgrade: string | undefined;
  /** What is told of the way that it came, besides the client's address; `X-Forwarded-Host`, `-Proto` and `-Uri` where absent. */
  readonly told?: HeaderList;
  /** Of a request that is part of a trace: of which its headers tell, in place of the client's. */
  readonly span?: Span | undefined;
}

/** Names, and beginnings of names, in lower case. */
export interface SecretHeaders {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

/** Of one connection (RFC 9110, section 7.6.1), and what we say ourselves. */
const ownOfConnection = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
];

const saidAnew = ["host", "expect", "audit-id", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];
const notPassed: ReadonlySet<string> = new Set([
  ...ownOfConnection,
  ...saidAnew,
  "x-forwarded-uri",
  "forwarded",
  "authorization",
  "content-length",
]);

/** What tells of a client, or of whom it wants to be: ours to decide, and decided. */
export function secretHeaders(names: readonly string[], prefixes: readonly string[]): SecretHeaders {
  return {
    names: new Set(["x-remote-user", "x-remote-uid", "x-remote-group", ...names.map((name) => name.toLowerCase())]),
    prefixes: ["impersonate-", "x-remote-extra-", ...prefixes.map((prefix) => prefix.toLowerCase())],
  };
}

/**
 * The headers of a request as it goes on to another server: without the client's credentials, with the user in their place.
 * `tokenProtocol` begins a WebSocket protocol that is a token.
 * @throws TypeError for a user that cannot be told in headers
 */
export function passedRequest(passing: Passing, tokenProtocol: string): HeaderList {
  const { headers, id, path, host, upgrade } = passing;
  const traced = traceHeaders(passing.span);
  const dropped = namedByConnection(headers);
  const list: string[] = [];
  for (const [name, values = []] of Object.entries(headers)) {
    if (name.startsWith(":") || notPassed.has(name) || dropped.has(name) || isSecret(name, passing.secret)) continue;
    if (passing.span !== undefined && traceNames.has(name)) continue;
    for (const value of name === "sec-websocket-protocol" ? withoutToken(values, tokenProtocol) : values) {
      list.push(name, value);
    }
  }
  const forwarded = [...(headers["x-forwarded-for"] ?? []), passing.address].filter((one) => one !== "");
  list.push("Audit-Id", id, "X-Forwarded-For", forwarded.join(", "));
  list.push(...(passing.told ?? ["X-Forwarded-Host", host, "X-Forwarded-Proto", "https", "X-Forwarded-Uri", path]));
  for (const [name, value] of Object.entries(traced)) list.push(name, value);
  if (upgrade !== undefined) list.push("Connection", "Upgrade", "Upgrade", upgrade);
  const { onBehalf } = passing;
  return onBehalf === undefined ? list : [...list, ...userList(onBehalf.user, onBehalf.userHeaders)];
}

const traceNames: ReadonlySet<string> = new Set(["traceparent", "tracestate"]);

function isSecret(name: string, { names, prefixes }: SecretHeaders): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

function namedByConnection(headers: DistinctHeaders): ReadonlySet<string> {
  const names = (headers["connection"] ?? []).flatMap((value) => value.split(","));
  return new Set(names.map((name) => name.trim().toLowerCase()));
}

function withoutToken(values: readonly string[], tokenProtocol: string): readonly string[] {
  const left = values
    .flatMap((value) => value.split(","))
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(tokenProtocol));
  return left.length === 0 ? [] : [left.join(", ")];
}

/** A user in the headers of a front proxy. @throws TypeError where a value cannot stand in a header */
export function userList({ name, uid, groups, extra }: UserInfo, as: UserHeaders): HeaderList {
  const list: string[] = [as.username, headerValue(name)];
  if (uid !== "") list.push(as.uid, headerValue(uid));
  for (const group of groups) list.push(as.group, headerValue(group));
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) list.push(`${as.extraPrefix}${escapedKey(key)}`, headerValue(value));
  }
  return list;
}

/** Node writes a header's characters as single bytes. A line that ends early would begin a header of the user's own. */
function headerValue(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.some((byte) => (byte < 0x20 && byte !== 0x09) || byte === 0x7f)) {
    throw new TypeError("the user cannot be told in headers: a control character");
  }
  return bytes.toString("latin1");
}

/** With `%41` for every byte that no header's name may hold, and for `%` itself. */
function escapedKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) =>
      plainBytes.has(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}

const plainBytes: ReadonlySet<number> = new Set(
  Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&'*+.^_`|~-"),
);

/** What is said of the server that a client asked, by that server alone: a browser takes it for all of its paths. */
const ofServer: ReadonlySet<string> = new Set([
  "audit-id",
  "access-control-allow-origin",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "access-control-expose-headers",
  "access-control-allow-credentials",
  "access-control-max-age",
  "alt-svc",
  "clear-site-data",
  "nel",
  "report-to",
  "service-worker-allowed",
  "strict-transport-security",
]);

/** Headers of an answer that are ours: of the connection with the client, and of the server that it asked. */
const oursInAnswers: ReadonlySet<string> = new Set([...ownOfConnection, ...ofServer]);

/** The same of an answer that changes the protocol of the connection, of which it may say what it likes. */
export function passedUpgrade(raw: readonly string[]): HeaderList {
  return raw.flatMap((name, i) => (i % 2 === 0 && !ofServer.has(name.toLowerCase()) ? [name, raw[i + 1] ?? ""] : []));
}

/** The headers of another server's answer, as node has them raw, as they go on to the client. */
export function passedAnswer(raw: readonly string[], without?: (name: string) => boolean): HeaderList {
  const dropped = new Set<string>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() === "connection") {
      for (const name of (raw[i + 1] ?? "").split(",")) dropped.add(name.trim().toLowerCase());
    }
  }
  const list: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? "";
    const key = name.toLowerCase();
    if (oursInAnswers.has(key) || dropped.has(key) || without?.(key) === true) continue;
    list.push(key === "cache-control" ? "Cache-Control" : name, raw[i + 1] ?? "");
  }
  return list;
}
