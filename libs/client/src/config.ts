import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import {
  type ConfigFiles,
  type Entry,
  flag,
  inside,
  pathOf,
  pem,
  readConfigFiles,
  text,
  texts,
} from "./config-file.js";
import { bearer, type CredentialSource, type Credentials } from "./credentials/credentials.js";
import { execPluginOf } from "./credentials/exec-entry.js";
import { type CredentialTools, execCredentials, isToken } from "./credentials/exec-plugin.js";
import { fileCredentials, readTokenFile } from "./credentials/file-credentials.js";
import type { Impersonation } from "./credentials/impersonation.js";

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
  readonly basic?: { readonly username: string; readonly password: string };
  /** Credentials that change while the client lives; they take the place of those above. */
  readonly credentials?: CredentialSource;
  /** As whom requests are made, once the server knows who makes them. */
  readonly impersonate?: Impersonation;
  /** Name to expect in the server's certificate instead of the host of `server`. */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
  /** `http://proxy:3128`: a tunnel through it leads to the server. */
  readonly proxyUrl?: string;
}

export interface ReadOptions {
  /** The file's `current-context` where absent. */
  readonly context?: string;
  /** For credentials that change. Absent: files are read once, and a plugin is refused. */
  readonly tools?: CredentialTools;
}

/**
 * Reads a client configuration file of either dialect; relative paths in it start at its own folder.
 * @throws Error in one line that names the file, the entry and what is wrong with it
 */
export function readClientConfig(path: string, options: ReadOptions = {}): Promise<ClientConfig> {
  return readClientConfigs([path], options);
}

/** The same of several files (`ORCHCONFIG=a:b`): what more than one of them names is the first one's. */
export async function readClientConfigs(paths: readonly string[], options: ReadOptions = {}): Promise<ClientConfig> {
  const files = await readConfigFiles(paths);
  const name = options.context ?? files.currentContext;
  if (name === "") throw new Error(`${files.where}: has no current-context`);
  const context = named(files, "context", name);
  const clusterName = text(context, "cluster");
  if (clusterName === undefined) throw new Error(`${context.where}: cluster is missing`);
  const cluster = named(files, "cluster", clusterName);
  const userName = text(context, "user");
  const server = await serverOf(cluster);
  const user =
    userName === undefined ? {} : await userOf(named(files, "user", userName), { cluster, server, ...options });
  return { ...server, namespace: text(context, "namespace") ?? "default", ...user };
}

function named(files: ConfigFiles, sort: "context" | "cluster" | "user", name: string): Entry {
  const entry = files[`${sort}s`].get(name);
  if (entry === undefined) throw new Error(`${files.where}: has no ${sort} "${name}"`);
  return entry;
}

type ServerConfig = Pick<ClientConfig, "server" | "ca" | "tlsServerName" | "insecureSkipTlsVerify" | "proxyUrl">;

async function serverOf(cluster: Entry): Promise<ServerConfig> {
  const { where } = cluster;
  const server = text(cluster, "server");
  if (server === undefined || !isAddress(server)) throw new Error(`${where}: server is no usable server address`);
  const ca = await pem(cluster, "certificate-authority");
  const insecureSkipTlsVerify = flag(cluster, "insecure-skip-tls-verify");
  if (insecureSkipTlsVerify && ca !== undefined) {
    throw new Error(`${where}: insecure-skip-tls-verify and certificate-authority exclude each other`);
  }
  const tlsServerName = text(cluster, "tls-server-name");
  const proxyUrl = text(cluster, "proxy-url");
  if (proxyUrl !== undefined && !isAddress(proxyUrl)) {
    throw new Error(`${where}: proxy-url is no http or https address: other proxies are not available`);
  }
  // Nothing that we ask for is compressed.
  flag(cluster, "disable-compression");
  return {
    server: server.replace(/\/+$/, ""),
    insecureSkipTlsVerify,
    ...(ca === undefined ? {} : { ca }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

function isAddress(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}

/**
 * What the users of a file present, by their names; those of plugins are refused, and files are read once.
 * @throws Error in one line that names the file and what is wrong with it
 */
export async function readUsers(path: string): Promise<ReadonlyMap<string, Credentials>> {
  const { users } = await readConfigFiles([path]);
  const found = new Map<string, Credentials>();
  for (const [name, user] of users) {
    const context = { cluster: user, server: { server: "", insecureSkipTlsVerify: false } };
    found.set(name, presented(await credentialsOf(user, context)));
  }
  return found;
}

type UserConfig = Pick<ClientConfig, "certificate" | "key" | "token" | "basic" | "credentials" | "impersonate">;

interface UserContext extends ReadOptions {
  readonly cluster: Entry;
  readonly server: ServerConfig;
}

async function userOf(user: Entry, context: UserContext): Promise<UserConfig> {
  const impersonate = impersonationOf(user);
  return { ...(await credentialsOf(user, context)), ...(impersonate === undefined ? {} : { impersonate }) };
}

async function credentialsOf(user: Entry, { cluster, server, tools }: UserContext): Promise<UserConfig> {
  const { where } = user;
  if (inside(user, "auth-provider") !== undefined) {
    throw new Error(`${where}: auth-provider is not available: use exec with the provider's plugin`);
  }
  const exec = inside(user, "exec");
  const basic = basicOf(user);
  const tokenFile = pathOf(user, "tokenFile");
  const token = await tokenOf(user, tokenFile);
  const found = [token && "token", basic && "username", exec && "exec"].filter((m) => m !== undefined);
  if (found.length > 1) throw new Error(`${where}: ${found.join(" and ")} exclude each other`);
  const [certificate, key] = await Promise.all([pem(user, "client-certificate"), pem(user, "client-key")]);
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Error(`${where}: ${key === undefined ? "client-key" : "client-certificate"} is missing`);
  }
  const fixed: UserConfig = {
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
    ...(basic === undefined ? {} : { basic }),
  };
  if (exec !== undefined) {
    if (certificate !== undefined) throw new Error(`${where}: client-certificate and exec exclude each other`);
    const plugin = execPluginOf(exec, { cluster, facts: server });
    if (tools === undefined) throw new Error(`${exec.where}: plugins are not run here`);
    return { credentials: execCredentials(plugin, tools) };
  }
  const certificateFile = text(user, "client-certificate-data") === undefined && pathOf(user, "client-certificate");
  const keyFile = text(user, "client-key-data") === undefined && pathOf(user, "client-key");
  const files = {
    ...(tokenFile === undefined ? {} : { token: tokenFile }),
    ...(certificateFile ? { certificate: certificateFile } : {}),
    ...(keyFile ? { key: keyFile } : {}),
  };
  if (tools === undefined || Object.keys(files).length === 0) return fixed;
  return { ...fixed, credentials: fileCredentials(files, { initial: presented(fixed), clock: tools.clock }) };
}

async function tokenOf(user: Entry, file: string | undefined): Promise<string | undefined> {
  const token = text(user, "token");
  if (token !== undefined && !isToken(token)) throw new Error(`${user.where}: token fits in no header`);
  if (file === undefined) return token;
  try {
    return await readTokenFile(file);
  } catch (error) {
    if (token !== undefined) return token;
    throw new Error(`${user.where}: tokenFile: ${messageOf(error)}`, { cause: error });
  }
}

function basicOf(user: Entry): ClientConfig["basic"] {
  const username = text(user, "username");
  return username === undefined ? undefined : { username, password: text(user, "password") ?? "" };
}

function impersonationOf(user: Entry): Impersonation | undefined {
  const [name, uid, groups] = [text(user, "as"), text(user, "as-uid"), texts(user, "as-groups")];
  const extras = inside(user, "as-user-extra");
  const extra =
    extras === undefined ? {} : Object.fromEntries(Object.keys(extras.fields).map((key) => [key, texts(extras, key)]));
  const more = uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0;
  if (name === undefined) {
    if (more) throw new Error(`${user.where}: as is missing: uid, groups and extra are of somebody else`);
    return undefined;
  }
  // What would end a header's line.
  const wrong = [name, uid ?? "", ...groups, ...Object.values(extra).flat()].some((value) => /\p{Cc}/u.test(value));
  if (wrong) throw new Error(`${user.where}: as, as-uid, as-groups or as-user-extra fits in no header`);
  return { user: name, groups, extra, ...(uid === undefined ? {} : { uid }) };
}

/** What a client shows of the fixed credentials of a configuration. */
export function presented({ token, basic, certificate, key }: Omit<UserConfig, "credentials">): Credentials {
  const authorization =
    token !== undefined
      ? bearer(token)
      : basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString("base64")}`;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  };
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
