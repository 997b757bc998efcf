import { Agent as PlainAgent, STATUS_CODES } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { createSecureContext } from "node:tls";
import { isRecord } from "@orch/client/objects.js";
import type { ClusterConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { askMember } from "../etcd/ask-member.js";
import type { Machine } from "../machine/machine.js";
import { until } from "../phases/wait.js";
import { compareVersions, parseVersion, versionOf } from "../upgrade/versions.js";
import type { Tools } from "../world.js";
import { fileExists } from "./checks.js";
import { type Check, type Finding, wrong } from "./preflight.js";

export type ExternalEtcd = NonNullable<ClusterConfiguration["etcd"]["external"]>;

/** The files by which components reach an etcd that others run. */
export const externalEtcdFiles = (machine: Machine, { caFile, certFile, keyFile }: ExternalEtcd): readonly Check[] =>
  [caFile, certFile, keyFile]
    .filter((path) => path !== "")
    .map((path) => fileExists(machine, path, "ExternalEtcdClientCertificates"));

/** The oldest etcd on which the API server runs. */
export const leastEtcd = "3.4.0";

/** A member that does not answer is asked thrice more. */
const everyMs = 5_000;
const timeoutMs = 3 * everyMs;

/** Every endpoint is asked for its version, by the files that the components will use. */
export const externalEtcdVersion = (etcd: ExternalEtcd, tools: Tools): Check => ({
  name: "ExternalEtcdVersion",
  async find() {
    let trust: Trust;
    try {
      trust = trustOf(etcd, tools.machine);
    } catch (error) {
      return [wrong(messageOf(error))];
    }
    const found = await Promise.all(etcd.endpoints.map((endpoint) => judged(endpoint, trust, tools)));
    return found.flat();
  },
});

interface Trust {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

function trustOf({ caFile, certFile, keyFile }: ExternalEtcd, machine: Machine): Trust {
  const ca = tried(
    () => (caFile === "" ? {} : { ca: machine.read(caFile) }),
    `couldn't load external etcd's server certificate ${machine.at(caFile)}`,
  );
  if (certFile === "") return ca;
  const pair = tried(
    () => {
      const both = { cert: machine.read(certFile), key: machine.read(keyFile) };
      createSecureContext(both);
      return both;
    },
    `couldn't load external etcd's certificate and key pair ${machine.at(certFile)}, ${machine.at(keyFile)}`,
  );
  return { ...ca, ...pair };
}

function tried<T>(make: () => T, what: string): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}

async function judged(endpoint: string, trust: Trust, tools: Tools): Promise<readonly Finding[]> {
  let version: string;
  try {
    version = await versionAt(endpoint, trust, tools);
  } catch (error) {
    return [wrong(messageOf(error))];
  }
  const parsed = parseVersion(version);
  const quoted = JSON.stringify(version.slice(0, 100));
  if (parsed === undefined) return [wrong(`couldn't parse external etcd version ${quoted}`)];
  if (compareVersions(parsed, versionOf(leastEtcd)) >= 0) return [];
  const program = tools.naming.configurationWord("orchadm");
  return [
    wrong(
      `this version of ${program} only supports external etcd version >= ${leastEtcd}. Current version: ${version}`,
    ),
  ];
}

async function versionAt(endpoint: string, trust: Trust, tools: Tools): Promise<string> {
  const url = new URL(`${endpoint.endsWith("/") ? endpoint.slice(0, -1) : endpoint}/version`);
  const agent = url.protocol === "https:" ? new SecureAgent(trust) : new PlainAgent();
  const what = `Get ${JSON.stringify(url.href)}`;
  const told = (problem: string): void =>
    tools.printError(`[preflight] ${what}: ${problem}; it is tried again for up to ${timeoutMs / 1000}s\n`);
  try {
    const { status, text } = await until(() => answered(url, agent), { what, timeoutMs, everyMs, told }, tools);
    if (status !== 200) throw new Error(`${what}: ${unsuccessful(status)}`);
    return versionIn(text, what);
  } finally {
    agent.destroy();
  }
}

/** What the member itself is at fault for is asked again. */
async function answered(url: URL, agent: PlainAgent) {
  const answer = await askMember(url, { agent });
  if (answer.status >= 500) throw new Error(unsuccessful(answer.status));
  return answer;
}

const unsuccessful = (status: number): string =>
  `server responded with non-successful status: ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();

function versionIn(text: string, what: string): string {
  const read: unknown = tried(() => readJson(text), `${what}: the answer is no JSON`);
  const version: unknown = isRecord(read) ? read["etcdserver"] : undefined;
  return typeof version === "string" ? version : "";
}
