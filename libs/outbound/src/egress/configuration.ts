import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** What connections are for: the server's own webhooks and issuers, its store, and what runs in the cluster. */
export const purposes = ["cluster", "controlplane", "etcd"] as const;
export type Purpose = (typeof purposes)[number];

export type EgressConfiguration = ReadonlyMap<Purpose, EgressConnection>;

export type EgressConnection =
  | { readonly protocol: "Direct" }
  | { readonly protocol: "HTTPConnect"; readonly proxy: ProxyAddress }
  | { readonly protocol: "GRPC"; readonly socketPath: string };

export type ProxyAddress =
  | { readonly transport: "uds"; readonly socketPath: string }
  | { readonly transport: "tcp"; readonly url: string; readonly tls?: ProxyTls };

/** Paths of PEM files. */
export interface ProxyTls {
  /** The system's authorities where absent. */
  readonly authorities?: string;
  readonly certificate: string;
  readonly key: string;
}

/** A configuration as it was written: texts are empty and parts undefined where absent. */
export interface SelectionDraft {
  readonly name: string;
  readonly protocol: string;
  readonly transport: TransportDraft | undefined;
}

export interface TransportDraft {
  readonly tcp: { readonly url: string; readonly tls: TlsDraft | undefined } | undefined;
  readonly uds: { readonly name: string } | undefined;
}

export interface TlsDraft {
  readonly caBundle: string;
  readonly clientKey: string;
  readonly clientCert: string;
}

export type Checked =
  | { readonly ok: true; readonly configuration: EgressConfiguration }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const protocols = ["Direct", "HTTPConnect", "GRPC"] as const;
/** The reference names every connection so, whichever it is. */
const root = "service.connection";

/** What selections say, or all that is wrong with them. `exists` tells of a file. */
export function checkSelections(drafts: readonly SelectionDraft[], exists: (path: string) => boolean): Checked {
  const errors: FieldError[] = [];
  const connections = drafts.map((draft) => {
    const read = connectionOf(draft, exists);
    errors.push(...read.errors);
    return read.connection;
  });
  const configuration = new Map<Purpose, EgressConnection>();
  const seen = new Set<string>();
  for (const [i, { name }] of drafts.entries()) {
    const canonical = canonicalName(name);
    if (seen.has(canonical)) {
      errors.push(fieldError.duplicate(`${root}[${i}]`, canonical));
      continue;
    }
    seen.add(canonical);
    const purpose = purposes.find((each) => each === canonical);
    const connection = connections[i];
    if (purpose === undefined) errors.push(fieldError.notSupported(root, canonical, purposes));
    else if (connection !== undefined) configuration.set(purpose, connection);
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, configuration };
}

/** `master` is what the control plane was called once. */
function canonicalName(name: string): string {
  return name === "master" ? "controlplane" : name.toLowerCase();
}

interface Read {
  readonly errors: readonly FieldError[];
  readonly connection?: EgressConnection;
}

function connectionOf({ protocol, transport }: SelectionDraft, exists: (path: string) => boolean): Read {
  const known = protocols.find((each) => each === protocol);
  if (known === undefined) return { errors: [fieldError.notSupported(`${root}.protocol`, protocol, protocols)] };
  if (known === "Direct") {
    if (transport === undefined) return { errors: [], connection: { protocol: "Direct" } };
    const why = "Transport config should be absent for direct connect";
    return { errors: [fieldError.invalid(`${root}.transport`, "direct", why)] };
  }
  if (transport === undefined) {
    return { errors: [fieldError.required(`${root}.transport`, `transport must be set for ${known}`)] };
  }
  if (known === "HTTPConnect") return httpConnect(transport, exists);
  const { uds } = transport;
  if (uds === undefined) return { errors: [fieldError.required(`${root}.uds`, "UDS must be set with GRPC")] };
  const socketPath = socketPathOf(uds.name);
  return { errors: socketErrors(uds.name), connection: { protocol: "GRPC", socketPath } };
}

function httpConnect({ tcp, uds }: TransportDraft, exists: (path: string) => boolean): Read {
  if (tcp !== undefined && uds !== undefined) {
    const shown = tcp.tls === undefined ? { url: tcp.url } : { url: tcp.url, tlsConfig: tcp.tls };
    return { errors: [fieldError.invalid(`${root}.tcp`, shown, "TCP and UDS cannot both be set")] };
  }
  if (uds !== undefined) {
    const proxy: ProxyAddress = { transport: "uds", socketPath: socketPathOf(uds.name) };
    return { errors: socketErrors(uds.name), connection: { protocol: "HTTPConnect", proxy } };
  }
  if (tcp === undefined) return { errors: [fieldError.required(`${root}.tcp`, "One of TCP or UDS must be set")] };
  const { url, tls } = tcp;
  if (url.startsWith("http://")) {
    const why = "TLSConfig config should not be present when using HTTP";
    const errors = tls === undefined ? urlErrors(url) : [fieldError.invalid(`${root}.tlsConfig`, "nil", why)];
    return { errors, connection: { protocol: "HTTPConnect", proxy: { transport: "tcp", url } } };
  }
  if (!url.startsWith("https://")) {
    return {
      errors: [fieldError.invalid(`${root}.url`, url, "supported connection protocols are http:// and https://")],
    };
  }
  if (tls === undefined) {
    return { errors: [fieldError.required(`${root}.tlsConfig`, "TLSConfig must be present when using HTTPS")] };
  }
  const { caBundle, clientCert: certificate, clientKey: key } = tls;
  const files = { certificate, key, ...(caBundle === "" ? {} : { authorities: caBundle }) };
  return {
    errors: [...tlsErrors(tls, exists), ...urlErrors(url)],
    connection: { protocol: "HTTPConnect", proxy: { transport: "tcp", url, tls: files } },
  };
}

function urlErrors(url: string): FieldError[] {
  return URL.canParse(url) ? [] : [fieldError.invalid(`${root}.url`, url, "is no address")];
}

const scheme = "unix://";
const socketPathOf = (name: string): string => (name.startsWith(scheme) ? name.slice(scheme.length) : name);

function socketErrors(name: string): FieldError[] {
  if (name !== "") return [];
  return [fieldError.required(`${root}.udsName`, "UDSName should be present for UDS connections")];
}

function tlsErrors({ caBundle, clientCert, clientKey }: TlsDraft, exists: (path: string) => boolean): FieldError[] {
  const at = (name: string): string => `${root}.tlsConfig.${name}`;
  const absent = (name: string, path: string, why: string): FieldError[] =>
    exists(path) ? [] : [fieldError.invalid(at(name), path, why)];
  const missing = (name: string, why: string): FieldError[] => [fieldError.invalid(at(name), "nil", why)];
  return [
    ...(caBundle === "" ? [] : absent("caBundle", caBundle, "TLS config ca bundle does not exist")),
    ...(clientCert === ""
      ? missing("clientCert", "Using TLS requires clientCert")
      : absent("clientCert", clientCert, "TLS client cert does not exist")),
    ...(clientKey === ""
      ? missing("clientKey", "Using TLS requires requires clientKey")
      : absent("clientKey", clientKey, "TLS client key does not exist")),
  ];
}
