import { quoted } from "@orch/status/quoted.js";
/** URLs as the reference's standard library reads and writes them. */
export interface Url {
  readonly scheme: string;
  readonly opaque: string;
  readonly user: { readonly name: string; readonly password: string | undefined } | undefined;
  readonly host: string;
  /** As written, where that is a way to write it; the escaped path else. */
  readonly escapedPath: string;
  readonly query: string;
  readonly forceQuery: boolean;
  readonly fragment: string;
  readonly omitHost: boolean;
}

export interface UrlProblem {
  readonly problem: string;
}

type Mode = "path" | "host" | "zone" | "user" | "query" | "fragment";

const problem = (text: string): UrlProblem => ({ problem: text });

const isProblem = <T>(value: T | UrlProblem): value is UrlProblem =>
  typeof value === "object" && value !== null && "problem" in value;

/** A URL as it stands in the line of a request: absolute, or a path. */
export function parseRequestUrl(text: string): Url | UrlProblem {
  return wrapped(text, parse(text, true));
}

/** A URL with its fragment. */
export function parseUrl(text: string): Url | UrlProblem {
  const hash = text.indexOf("#");
  const url = parse(hash === -1 ? text : text.slice(0, hash), false);
  if (isProblem(url) || hash === -1) return wrapped(text, url);
  const written = text.slice(hash + 1);
  const fragment = decodePart(written, "fragment");
  if (isProblem(fragment)) return wrapped(text, fragment);
  const kept = isValidEncoding(written, "fragment") ? written : encodePart(fragment, "fragment");
  return { ...url, fragment: kept };
}

function wrapped(text: string, url: Url | UrlProblem): Url | UrlProblem {
  return isProblem(url) ? problem(`parse ${quoted(text)}: ${url.problem}`) : url;
}

function parse(text: string, viaRequest: boolean): Url | UrlProblem {
  if (hasControl(text)) return problem("net/url: invalid control character in URL");
  const none = { user: undefined, host: "", query: "", forceQuery: false, fragment: "", omitHost: false, opaque: "" };
  if (text === "") return viaRequest ? problem("empty url") : { ...none, scheme: "", escapedPath: "" };
  if (text === "*") return { ...none, scheme: "", escapedPath: "*" };
  const split = splitScheme(text);
  if (isProblem(split)) return split;
  const { scheme } = split;
  let { rest } = split;
  let query = "";
  const mark = rest.indexOf("?");
  const forceQuery = mark !== -1 && mark === rest.length - 1;
  if (mark !== -1) {
    query = rest.slice(mark + 1);
    rest = rest.slice(0, mark);
  }
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...none, scheme, opaque: rest, query, forceQuery, escapedPath: "" };
    if (viaRequest) return problem("invalid URI for request");
    if ((rest.split("/", 1)[0] ?? "").includes(":")) return problem("first path segment in URL cannot contain colon");
  }
  const authority = (scheme !== "" || (!viaRequest && !rest.startsWith("///"))) && rest.startsWith("//");
  const slash = authority ? rest.indexOf("/", 2) : 0;
  const named = authority ? parseAuthority(slash === -1 ? rest.slice(2) : rest.slice(2, slash)) : undefined;
  if (named !== undefined && isProblem(named)) return named;
  const written = authority ? (slash === -1 ? "" : rest.slice(slash)) : rest;
  const path = decodePart(written, "path");
  if (isProblem(path)) return path;
  return {
    ...none,
    scheme,
    ...named,
    query,
    forceQuery,
    omitHost: !authority && scheme !== "" && rest.startsWith("/"),
    escapedPath: isValidEncoding(written, "path") ? written : encodePart(path, "path"),
  };
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x20 || text.charCodeAt(i) === 0x7f) return true;
  return false;
}

const isLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122);
const isDigit = (c: number): boolean => c >= 48 && c <= 57;
const isHex = (c: number): boolean => isDigit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102);

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } | UrlProblem {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (isLetter(c)) continue;
    if (isDigit(c) || c === 43 || c === 45 || c === 46) {
      if (i === 0) break;
      continue;
    }
    if (c !== 58) break;
    if (i === 0) return problem("missing protocol scheme");
    return { scheme: text.slice(0, i).toLowerCase(), rest: text.slice(i + 1) };
  }
  return { scheme: "", rest: text };
}

function parseAuthority(text: string): Pick<Url, "user" | "host"> | UrlProblem {
  const at = text.lastIndexOf("@");
  const host = parseHost(text.slice(at + 1));
  if (isProblem(host)) return host;
  if (at === -1) return { user: undefined, host };
  const written = text.slice(0, at);
  if (!isUserInfo(written)) return problem("net/url: invalid userinfo");
  const colon = written.indexOf(":");
  const name = decodePart(colon === -1 ? written : written.slice(0, colon), "user");
  if (isProblem(name)) return name;
  const password = colon === -1 ? undefined : decodePart(written.slice(colon + 1), "user");
  if (password !== undefined && isProblem(password)) return password;
  return { host, user: { name, password } };
}

function isUserInfo(text: string): boolean {
  for (const point of text) {
    const c = point.codePointAt(0) ?? 0;
    if (!isLetter(c) && !isDigit(c) && !"-._:~!$&'()*+,;=%@".includes(point)) return false;
  }
  return true;
}

function parseHost(text: string): string | UrlProblem {
  if (text.startsWith("[")) {
    const end = text.lastIndexOf("]");
    if (end === -1) return problem("missing ']' in host");
    const port = text.slice(end + 1);
    if (!isOptionalPort(port)) return problem(`invalid port ${quoted(port)} after host`);
    const zone = text.slice(0, end).indexOf("%25");
    if (zone === -1) return decodePart(text, "host");
    const parts = [
      decodePart(text.slice(0, zone), "host"),
      decodePart(text.slice(zone, end), "zone"),
      decodePart(text.slice(end), "host"),
    ];
    return parts.find(isProblem) ?? parts.join("");
  }
  const colon = text.lastIndexOf(":");
  const port = colon === -1 ? "" : text.slice(colon);
  if (!isOptionalPort(port)) return problem(`invalid port ${quoted(port)} after host`);
  return decodePart(text, "host");
}

function isOptionalPort(text: string): boolean {
  if (text === "") return true;
  if (text[0] !== ":") return false;
  for (let i = 1; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return true;
}

/** Characters that need no escape in a part, beside letters, digits and `-_.~`. */
const plain: Readonly<Record<Mode, string>> = {
  path: "$&+,/:;=@",
  host: "!$&'()*+,;=:[]<>\"",
  zone: "!$&'()*+,;=:[]<>\"",
  user: "$&+,;=",
  query: "",
  fragment: "$&+,/:;=?@!()*",
};

function needsEscape(c: number, mode: Mode): boolean {
  if (isLetter(c) || isDigit(c)) return false;
  const character = String.fromCharCode(c);
  return !"-_.~".includes(character) && !plain[mode].includes(character);
}

function decodePart(text: string, mode: Mode): string | UrlProblem {
  let escapes = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 37) {
      const bad = badEscape(text, i, mode);
      if (bad !== undefined) return problem(`invalid URL escape ${quoted(bad)}`);
      escapes = true;
      i += 2;
    } else if ((mode === "host" || mode === "zone") && c < 0x80 && needsEscape(c, mode)) {
      return problem(`invalid character ${JSON.stringify(text[i])} in host name`);
    }
  }
  const spaced = mode === "query" ? text.replaceAll("+", " ") : text;
  return escapes ? percentDecoded(spaced) : spaced;
}

/** The escape at `at` where it is none, or none that its part may hold. */
function badEscape(text: string, at: number, mode: Mode): string | undefined {
  const written = text.slice(at, at + 3);
  if (written.length < 3 || !isHex(written.charCodeAt(1)) || !isHex(written.charCodeAt(2))) return written;
  const value = Number.parseInt(written.slice(1), 16);
  if (mode === "host" && value < 0x80 && written !== "%25") return written;
  if (mode === "zone" && written !== "%25" && value !== 0x20 && needsEscape(value, "host")) return written;
  return undefined;
}

function percentDecoded(text: string): string {
  const parts: Buffer[] = [];
  let at = 0;
  for (let percent = text.indexOf("%"); percent !== -1; percent = text.indexOf("%", at)) {
    parts.push(Buffer.from(text.slice(at, percent)), Buffer.from(text.slice(percent + 1, percent + 3), "hex"));
    at = percent + 3;
  }
  parts.push(Buffer.from(text.slice(at)));
  return Buffer.concat(parts).toString("utf8");
}

function isValidEncoding(text: string, mode: "path" | "fragment"): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if ("!$&'()*+,;=:@[]%".includes(text[i] ?? "")) continue;
    if (c >= 0x80 || needsEscape(c, mode)) return false;
  }
  return true;
}

function encodePart(text: string, mode: Mode): string {
  let out = "";
  for (const byte of Buffer.from(text)) {
    const written = byte >= 0x80 || needsEscape(byte, mode);
    out += written ? `%${byte.toString(16).toUpperCase().padStart(2, "0")}` : String.fromCharCode(byte);
  }
  return out;
}

export function formatUrl(url: Url): string {
  let out = url.scheme === "" ? "" : `${url.scheme}:`;
  if (url.opaque !== "") out += url.opaque;
  else {
    const { user, host, escapedPath: path } = url;
    if (
      (url.scheme !== "" || host !== "" || user !== undefined) &&
      !(url.omitHost && host === "" && user === undefined)
    ) {
      if (host !== "" || path !== "" || user !== undefined) out += "//";
      if (user !== undefined) out += `${userText(user)}@`;
      out += hostText(host);
    }
    if (path !== "" && !path.startsWith("/") && host !== "") out += "/";
    if (out === "" && (path.split("/", 1)[0] ?? "").includes(":")) out += "./";
    out += path;
  }
  if (url.forceQuery || url.query !== "") out += `?${url.query}`;
  return url.fragment === "" ? out : `${out}#${url.fragment}`;
}

function hostText(host: string): string {
  return encodePart(host, "host");
}

function userText({ name, password }: NonNullable<Url["user"]>): string {
  return password === undefined
    ? encodePart(name, "user")
    : `${encodePart(name, "user")}:${encodePart(password, "user")}`;
}

export function hostParts(host: string): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(":");
  const hasPort = colon !== -1 && isOptionalPort(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  const bare = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
  return { name: bare, port: hasPort ? host.slice(colon + 1) : "" };
}

/** The values of each key of a query; what cannot be read is left out. */
export function queryOf(url: Url): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const pair of url.query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = decodePart(equals === -1 ? pair : pair.slice(0, equals), "query");
    const value = decodePart(equals === -1 ? "" : pair.slice(equals + 1), "query");
    if (isProblem(key) || isProblem(value)) continue;
    const known = found.get(key);
    if (known === undefined) found.set(key, [value]);
    else known.push(value);
  }
  return found;
}
