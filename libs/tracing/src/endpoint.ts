/** Where the collector listens, as a file names it: a target of gRPC. */
export type Endpoint =
  | { readonly ok: true; readonly target: CollectorTarget }
  | { readonly ok: false; readonly value: string; readonly problem: string };

/** `host:port`, or the path of a Unix domain socket. */
export type CollectorTarget =
  | { readonly type: "network"; readonly address: string }
  | { readonly type: "socket"; readonly path: string };

const naming = "See https://github.com/grpc/grpc/blob/master/doc/naming.md";
export const usualPort = 4317;
const usualHost = "localhost";

/** Reads an endpoint by the reference's rules: a text without `//` is a name to be resolved. "" means the usual one. */
export function readEndpoint(text: string): Endpoint {
  if (text === "") return network(`${usualHost}:${usualPort}`);
  const value = text.includes("//") ? text : `dns://${text}`;
  const colon = value.indexOf(":");
  const scheme = value.slice(0, Math.max(colon, 0)).toLowerCase();
  const rest = value.slice(colon + 1);
  if (scheme === "unix") return { ok: true, target: { type: "socket", path: withoutAuthority(rest) } };
  if (scheme === "unix-abstract") {
    return { ok: false, value: text, problem: "abstract sockets are not supported here: use a path" };
  }
  if (scheme !== "dns") {
    const problem = `unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  ${naming}`;
    return { ok: false, value, problem };
  }
  const authority = authorityOf(rest);
  const wrong = wrongPort(authority);
  if (wrong !== undefined) {
    const problem = `parse ${JSON.stringify(value)}: invalid port ${JSON.stringify(wrong)} after host`;
    return { ok: false, value, problem };
  }
  // In `dns://resolver/name` what is to be reached stands behind the resolver, which is the system's here.
  const name = withoutAuthority(rest).slice(1);
  const reached = name === "" ? authority : name;
  if (reached === "") return { ok: false, value, problem: "there is no host" };
  return network(hasPort(reached) ? reached : `${reached}:${usualPort}`);
}

const network = (address: string): Endpoint => ({ ok: true, target: { type: "network", address } });

/** `//host:1/path` → `host:1`; "" where there is none. */
function authorityOf(rest: string): string {
  if (!rest.startsWith("//")) return "";
  const end = rest.indexOf("/", 2);
  return end < 0 ? rest.slice(2) : rest.slice(2, end);
}

/** `//host:1/path` → `/path`; `path` stays what it is. */
function withoutAuthority(rest: string): string {
  if (!rest.startsWith("//")) return rest;
  const end = rest.indexOf("/", 2);
  return end < 0 ? "" : rest.slice(end);
}

/** What stands behind the host from its last colon on, where that is no port. */
function wrongPort(authority: string): string | undefined {
  const from = authority.startsWith("[") ? authority.indexOf("]") + 1 : authority.lastIndexOf(":");
  if (from < 0) return undefined;
  const port = authority.slice(from);
  if (port === "" || (port.startsWith(":") && [...port.slice(1)].every((one) => one >= "0" && one <= "9"))) {
    return undefined;
  }
  return port;
}

const hasPort = (address: string): boolean => address.lastIndexOf(":") > address.lastIndexOf("]");
