import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseYaml, printYaml } from "@orch/codec/yaml.js";
import { createNaming, dialects, type Naming } from "@orch/naming/naming.js";

/** How to reach a server and as whom. */
export interface ClientConfig {
  /** `https://127.0.0.1:6443`, without a closing slash. */
  readonly server: string;
  /** Namespace of the context; `default` where it names none. */
  readonly namespace: string;
  /** PEM. */
  readonly ca?: string;
  /** PEM of the client's certificate and key. */
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
  /** Name to expect in the server's certificate instead of the host of `server`. */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const apiVersions = dialects.map((dialect) => createNaming(dialect).clientConfigApiVersion);

/**
 * Reads a client configuration file of either dialect; relative paths in it start at its own folder.
 * @throws Error in one line that names the file and what is wrong with it
 */
export async function readClientConfig(
  path: string,
  options: { readonly context?: string } = {},
): Promise<ClientConfig> {
  try {
    const decoded = parseYaml(await readFile(path));
    if (!decoded.ok) throw new Error(decoded.problem);
    return await configOf(fieldsOf(decoded.value, "the file"), dirname(path), options.context);
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

async function configOf(file: Fields, folder: string, wanted: string | undefined): Promise<ClientConfig> {
  const version = text(file, "apiVersion");
  if (file["kind"] !== "Config" || version === undefined || !apiVersions.includes(version)) {
    throw new Error(`is no client configuration: expected kind Config of ${apiVersions.join(" or ")}`);
  }
  const name = wanted ?? text(file, "current-context") ?? "";
  if (name === "") throw new Error("has no current-context");
  const context = named(file, "contexts", name);
  const cluster = named(file, "clusters", text(context, "cluster") ?? "");
  const userName = text(context, "user") ?? "";
  const user: Fields = userName === "" ? {} : named(file, "users", userName);
  const server = text(cluster, "server");
  if (server === undefined || !URL.canParse(server)) throw new Error(`context ${name} has no usable server address`);
  const [ca, certificate, key] = await Promise.all([
    pem(cluster, "certificate-authority", folder),
    pem(user, "client-certificate", folder),
    pem(user, "client-key", folder),
  ]);
  const tokenFile = text(user, "tokenFile");
  const token =
    tokenFile === undefined ? text(user, "token") : (await readFile(resolve(folder, tokenFile), "utf8")).trim();
  const tlsServerName = text(cluster, "tls-server-name");
  return {
    server: server.replace(/\/+$/, ""),
    namespace: text(context, "namespace") ?? "default",
    insecureSkipTlsVerify: cluster["insecure-skip-tls-verify"] === true,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
  };
}

/** `<key>-data` in base64, which wins, or the file that `<key>` names. */
async function pem(from: Fields, key: string, folder: string): Promise<string | undefined> {
  const data = text(from, `${key}-data`);
  if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
  const path = text(from, key);
  return path === undefined ? undefined : await readFile(resolve(folder, path), "utf8");
}

/** `clusters: [{name, cluster: {…}}]`: the inner object of the entry with a name. */
function named(file: Fields, list: string, name: string): Fields {
  const entries = file[list];
  const inner = list.slice(0, -1);
  for (const entry of Array.isArray(entries) ? entries : []) {
    const fields = fieldsOf(entry, `an entry of ${list}`);
    if (fields["name"] === name) return fieldsOf(fields[inner] ?? {}, `${inner} ${name}`);
  }
  throw new Error(`has no ${inner} "${name}"`);
}

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${what} is not a map`);
  return { ...value };
}

function text(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export interface NewClientConfig {
  readonly naming: Naming;
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly user: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
}

/** The text of a client configuration file with one cluster, one user and one context. */
export function printClientConfig(config: NewClientConfig): string {
  const { naming, server, ca, user, certificate, key, token } = config;
  const cluster = naming.dialect;
  const context = `${user}@${cluster}`;
  return printYaml({
    apiVersion: naming.clientConfigApiVersion,
    kind: "Config",
    clusters: [{ name: cluster, cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [
      {
        name: user,
        user: {
          ...(certificate === undefined ? {} : { "client-certificate-data": base64(certificate) }),
          ...(key === undefined ? {} : { "client-key-data": base64(key) }),
          ...(token === undefined ? {} : { token }),
        },
      },
    ],
    contexts: [{ name: context, context: { cluster, user, namespace: "default" } }],
    "current-context": context,
    preferences: {},
  });
}

const base64 = (value: string): string => Buffer.from(value).toString("base64");
