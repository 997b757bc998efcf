import { readFileSync } from "node:fs";
import { createClient } from "@orch/client/http/http.js";
import { isRecord } from "@orch/client/objects.js";
import type { Discovery } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { formatMs } from "@orch/schema/formats/duration.js";
import { collections } from "../cluster.js";
import { namesOf } from "../objects/names.js";
import { Final, until } from "../phases/wait.js";
import type { Tools } from "../world.js";
import { type ClusterInfo, readClusterInfo } from "./cluster-info.js";
import { checkPins, isPinned, pinsOf } from "./pins.js";
import { isSigned } from "./signature.js";

const attemptMs = 10_000;
const everyMs = 1_000;

/**
 * Learns of a cluster in such a way that it can be trusted: by a token that both sides know and the authority's hash, or by
 * a file. @throws Error where nothing answers in time, or where what answers is not the cluster
 */
export async function discover(discovery: Discovery, tools: Tools, timeoutMs: number): Promise<ClusterInfo> {
  const { bootstrapToken, file } = discovery;
  if (bootstrapToken !== undefined) return discoverByToken(bootstrapToken, tools, timeoutMs);
  const path = file?.orchConfigPath ?? "";
  return readClusterInfo(path.startsWith("https://") ? await download(path) : readFileSync(path, "utf8"));
}

type ByToken = NonNullable<Discovery["bootstrapToken"]>;

async function discoverByToken(given: ByToken, tools: Tools, timeoutMs: number): Promise<ClusterInfo> {
  const { token, apiServerEndpoint, caCertHashes, unsafeSkipCAVerification } = given;
  const [id = "", secret = ""] = token.split(".");
  checkPins(caCertHashes);
  const server = `https://${apiServerEndpoint}`;
  tools.trace(`[discovery] Requesting info from ${JSON.stringify(server)}\n`);
  // Nothing is trusted yet: this connection shows a text that is checked, and is told nothing.
  const what = `couldn't validate the identity of the API Server ${server}`;
  const told = (problem: string): void =>
    tools.printError(`[discovery] ${problem}; it is tried again for up to ${formatMs(timeoutMs)}\n`);
  const first = await until(() => signedInfo({ server, id }, tools), { what, timeoutMs, everyMs, told }, tools);
  if (!isSigned(first.signature, first.text, { id, secret })) {
    throw new Error("failed to verify JWS signature of received cluster info object, can't trust this API Server");
  }
  const info = readClusterInfo(first.text);
  if (caCertHashes.length === 0 && unsafeSkipCAVerification) return info;
  if (!isPinned(info.ca, caCertHashes)) {
    const shown = pinsOf(info.ca).map((pin) => JSON.stringify(pin));
    throw new Error(
      `cluster CA found in cluster-info ConfigMap is invalid: none of the public keys ${shown.join(" ")} are pinned`,
    );
  }
  // Somebody between may have passed the text on: the server must have a certificate of that authority.
  const again = { what, timeoutMs: Math.min(timeoutMs, attemptMs), everyMs };
  const second = await until(() => signedInfo({ server, id, ca: info.ca }, tools), again, tools);
  if (second.text !== first.text) {
    throw new Error("the second kubeconfig from the cluster failed validation: it is not the first one");
  }
  tools.trace("[discovery] The cluster's info is signed, and its server has a certificate of the pinned authority\n");
  return info;
}

interface Asked {
  readonly server: string;
  /** Of the token. */
  readonly id: string;
  /** PEM; absent: any server is asked. */
  readonly ca?: string;
}

/** What a server tells of its cluster, with the signature of the token's owner. */
async function signedInfo({ server, id, ca }: Asked, { naming }: Tools) {
  const names = namesOf(naming);
  const trust = ca === undefined ? { insecureSkipTlsVerify: true } : { insecureSkipTlsVerify: false, ca };
  const client = createClient({ server, namespace: names.publicNamespace, ...trust }, { userAgent: names.program });
  try {
    const signal = AbortSignal.timeout(attemptMs);
    const { data } = await client.get(collections.configMaps(names.publicNamespace), names.clusterInfo, { signal });
    const text: unknown = isRecord(data) ? data[names.clusterInfoKey] : undefined;
    const signature: unknown = isRecord(data) ? data[`jws-kubeconfig-${id}`] : undefined;
    if (typeof text !== "string") {
      throw new Final(
        `there is no ${names.clusterInfoKey} key in the ${names.clusterInfo} ConfigMap. This API Server isn't set up for token bootstrapping, can't connect`,
      );
    }
    if (typeof signature !== "string") {
      throw new Error(
        `token id ${JSON.stringify(id)} is invalid for this cluster or it has expired. Use "orchadm token create" on the control-plane node to create a new valid token`,
      );
    }
    return { text, signature };
  } finally {
    await client.close();
  }
}

const longestFile = 1 << 20;

async function download(url: string): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(attemptMs) });
  const text = await answer.text();
  if (!answer.ok || text.length > longestFile)
    throw new Error(`${url} answers ${answer.status} with ${text.length} characters`);
  return text;
}
