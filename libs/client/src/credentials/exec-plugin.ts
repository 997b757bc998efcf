import { createPrivateKey, X509Certificate } from "node:crypto";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { createNaming, dialects, type Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/status/clock.js";
import { isRecord } from "../objects.js";
import { bearer, type CredentialSource, type Credentials, type Obtained, renewedCredentials } from "./credentials.js";
import { runProgram } from "./run-program.js";

export const interactiveModes = ["Never", "IfAvailable", "Always"] as const;
export type InteractiveMode = (typeof interactiveModes)[number];

/** A program that tells credentials (rules: Plugin credential), as a configuration file has it. */
export interface ExecPlugin {
  /** Of the ExecCredential that it is given and must answer with. */
  readonly apiVersion: string;
  /** A path, or a name that is looked up in `PATH`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What to tell whoever has not installed it. */
  readonly installHint: string;
  readonly interactiveMode: InteractiveMode;
  /** Of the server, where the plugin is to be told of it. */
  readonly cluster?: object;
}

/** What credentials need that change: time, and for plugins an environment. */
export interface CredentialTools {
  readonly clock: Pick<Clock, "now" | "after">;
  /** Of this process; a plugin gets it too. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether somebody sits at standard input, whom a plugin may ask. */
  readonly interactive: boolean;
}

const versions = ["v1", "v1beta1"];
const namings = dialects.map((dialect) => createNaming(dialect));
const groupOf = (naming: Naming): string => naming.group("client.authentication");

/** Every `apiVersion` that a plugin may be configured with, in either dialect. */
export const execApiVersions = namings.flatMap((naming) => versions.map((v) => `${groupOf(naming)}/${v}`));

/** Only v1 asks for an `interactiveMode`. */
export const needsInteractiveMode = (apiVersion: string): boolean => apiVersion.endsWith("/v1");

/** Name of the extension of a cluster whose content is told to a plugin as `config`. */
export const execExtension = (apiVersion: string): string => `${groupOf(namingOf(apiVersion))}/exec`;

function namingOf(apiVersion: string): Naming {
  const naming = namings.find((n) => apiVersion.startsWith(`${groupOf(n)}/`));
  if (naming === undefined) throw new TypeError(`${apiVersion} is of no dialect`);
  return naming;
}

const runMs = 60_000;
/** People need longer than programs. */
const interactiveRunMs = 600_000;
const outputBytes = 1024 * 1024;

/** Runs the plugin when credentials are needed; they are kept in memory alone. */
export function execCredentials(plugin: ExecPlugin, tools: CredentialTools): CredentialSource {
  return renewedCredentials({ obtain: () => askPlugin(plugin, tools), now: () => tools.clock.now() });
}

async function askPlugin(plugin: ExecPlugin, { clock, environment, interactive }: CredentialTools): Promise<Obtained> {
  const { apiVersion, command, interactiveMode } = plugin;
  const asks = interactiveMode !== "Never" && interactive;
  if (interactiveMode === "Always" && !asks) {
    throw new Error(`the plugin ${command} asks for input, and standard input is no terminal`);
  }
  const naming = namingOf(apiVersion);
  const spec = { ...(plugin.cluster === undefined ? {} : { cluster: plugin.cluster }), interactive: asks };
  const told = JSON.stringify({ kind, apiVersion, spec });
  const end = await runProgram({
    command,
    args: plugin.args,
    environment: { ...environment, ...plugin.env, [naming.environment("EXEC_INFO")]: told },
    input: asks,
    clock,
    timeoutMs: asks ? interactiveRunMs : runMs,
    outputBytes,
  });
  if (end.how === "missing") {
    const hint = plugin.installHint === "" ? "" : `; ${plugin.installHint}`;
    throw new Error(`the plugin ${command} is not installed${hint}`);
  }
  if (end.how === "failed") throw new Error(`the plugin ${command} ${end.why}`);
  return obtainedOf(end.output, plugin);
}

const kind = "ExecCredential";

/** What the plugin answered; the errors never quote it. */
function obtainedOf(output: Buffer, { apiVersion, command }: ExecPlugin): Obtained {
  const wrong = (what: string): Error => new Error(`the plugin ${command} ${what}`);
  const decoded = parseYaml(output);
  const answer: unknown = decoded.ok ? decoded.value : undefined;
  if (!isRecord(answer) || answer["kind"] !== kind) throw wrong(`answered with something that is no ${kind}`);
  if (answer["apiVersion"] !== apiVersion) {
    throw wrong(`is configured for ${apiVersion} and answered with another apiVersion`);
  }
  const { status } = answer;
  if (!isRecord(status)) throw wrong("answered without a status");
  const field = (name: string): string => {
    const value = status[name] ?? "";
    if (typeof value !== "string") throw wrong(`answered with a status.${name} that is no string`);
    return value;
  };
  const [token, certificate, key] = [field("token"), field("clientCertificateData"), field("clientKeyData")];
  if (token === "" && certificate === "" && key === "") throw wrong("answered with neither a token nor a certificate");
  if ((certificate === "") !== (key === "")) throw wrong("answered with only one of certificate and key");
  if (!isToken(token)) throw wrong("answered with a token that fits in no header");
  if (certificate !== "" && !isPair(certificate, key)) {
    throw wrong("answered with a certificate and a key that cannot be read or do not belong together");
  }
  const credentials: Credentials = {
    ...(token === "" ? {} : { authorization: bearer(token) }),
    ...(certificate === "" ? {} : { certificate, key }),
  };
  const expiry = field("expirationTimestamp");
  if (expiry === "") return { credentials };
  const expiresAt = timeOf(expiry);
  if (expiresAt === undefined) throw wrong("answered with a status.expirationTimestamp that is no time");
  return { credentials, renewAt: expiresAt, expiresAt };
}

/** What may stand in a header: visible ASCII and spaces. */
export function isToken(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Whether both can be read, PEM, and belong together. */
export function isPair(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** RFC 3339 → milliseconds since 1970. */
export function timeOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
