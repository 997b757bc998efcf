import { resolve } from "node:path";
import { type Entry, flag, listed, text, texts } from "../config-file.js";
import {
  type ExecPlugin,
  execApiVersions,
  execExtension,
  type InteractiveMode,
  interactiveModes,
  needsInteractiveMode,
} from "./exec-plugin.js";

/** What a plugin is told of its server. */
export interface ClusterFacts {
  readonly server: string;
  /** PEM. */
  readonly ca?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly proxyUrl?: string;
}

/** Reads `exec` of a user. @throws Error in one line that says what is wrong with it */
export function execPluginOf(
  exec: Entry,
  { cluster, facts }: { readonly cluster: Entry; readonly facts: ClusterFacts },
): ExecPlugin {
  const { where, folder } = exec;
  const apiVersion = text(exec, "apiVersion") ?? "";
  if (!execApiVersions.includes(apiVersion)) {
    throw new Error(`${where}: apiVersion is "${apiVersion}" and not one of ${execApiVersions.join(", ")}`);
  }
  const command = text(exec, "command");
  if (command === undefined) throw new Error(`${where}: command is missing`);
  return {
    apiVersion,
    // A bare name is looked up in PATH, a path starts at the file's own folder.
    command: command.includes("/") ? resolve(folder, command) : command,
    args: texts(exec, "args"),
    env: Object.fromEntries(listed(exec, "env").map(variableOf)),
    // Whatever a terminal would take for more than text has no place in an error.
    installHint: (text(exec, "installHint") ?? "").replace(/[^\P{Cc}\n]/gu, ""),
    interactiveMode: interactiveModeOf(exec, apiVersion),
    ...(flag(exec, "provideClusterInfo") ? { cluster: clusterInfo(cluster, facts, apiVersion) } : {}),
  };
}

function variableOf(entry: Entry): readonly [string, string] {
  const name = text(entry, "name");
  if (name === undefined) throw new Error(`${entry.where}: name is missing`);
  return [name, text(entry, "value") ?? ""];
}

function interactiveModeOf(exec: Entry, apiVersion: string): InteractiveMode {
  const mode = text(exec, "interactiveMode");
  if (mode === undefined) {
    if (!needsInteractiveMode(apiVersion)) return "IfAvailable";
    throw new Error(`${exec.where}: interactiveMode is missing: one of ${interactiveModes.join(", ")}`);
  }
  const known = interactiveModes.find((m) => m === mode);
  if (known !== undefined) return known;
  throw new Error(`${exec.where}: interactiveMode is "${mode}" and not one of ${interactiveModes.join(", ")}`);
}

/** Spec 2: Cluster. */
function clusterInfo(cluster: Entry, facts: ClusterFacts, apiVersion: string): object {
  const { server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl } = facts;
  const name = execExtension(apiVersion);
  const config = listed(cluster, "extensions").find((e) => e.fields["name"] === name)?.fields["extension"];
  return {
    server,
    ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
    ...(insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }),
    ...(flag(cluster, "disable-compression") ? { "disable-compression": true } : {}),
    ...(config === undefined ? {} : { config }),
  };
}
