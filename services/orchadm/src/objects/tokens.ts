import type { BootstrapToken } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { durationMs } from "@orch/schema/formats/duration.js";
import { wireTime } from "@orch/status/wire-time.js";
import { type Cluster, collections } from "../cluster.js";
import type { Tools } from "../world.js";
import { namesOf, tokenSecretName } from "./names.js";
import { accessRules, groupNamed } from "./rbac.js";

/** The Secret in which a cluster keeps a token. `now`: milliseconds since 1970. */
export function tokenSecret(
  token: Omit<BootstrapToken, "usages" | "groups"> & Partial<Pick<BootstrapToken, "usages" | "groups">>,
  { naming, now }: { readonly naming: Tools["naming"]; readonly now: number },
) {
  const [id = "", secret = ""] = token.token.split(".");
  const { description, ttl, expires, usages = [], groups = [] } = token;
  const ms = ttl === undefined ? 0 : (durationMs(ttl) ?? 0);
  const end = ms > 0 ? wireTime(now + ms) : expires;
  const texts: Readonly<Record<string, string>> = {
    ...(description === "" ? {} : { description }),
    ...(end === undefined ? {} : { expiration: end }),
    ...{ "token-id": id, "token-secret": secret },
    ...Object.fromEntries(usages.map((usage) => [`usage-bootstrap-${usage}`, "true"])),
    ...(groups.length === 0 ? {} : { "auth-extra-groups": groups.join(",") }),
  };
  const names = namesOf(naming);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: tokenSecretName(id), namespace: names.systemNamespace },
    type: names.tokenType,
    data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")])),
  };
}

export async function ensureToken(cluster: Cluster, token: BootstrapToken, { naming, clock }: Tools): Promise<void> {
  const secrets = collections.secrets(namesOf(naming).systemNamespace);
  await cluster.ensure(secrets, tokenSecret(token, { naming, now: clock.now() }));
}

/** What those who join by a token may do: become nodes. */
export async function allowBootstrap(cluster: Cluster, { naming }: Tools): Promise<void> {
  const names = namesOf(naming);
  const rules = accessRules(cluster, naming);
  const requests = `system:${naming.group("certificates")}:certificatesigningrequests`;
  const [bootstrappers, nodes] = [[groupNamed(names.bootstrappers)], [groupNamed(names.nodes)]];
  const getNodes = `${names.program}:get-nodes`;
  await rules.clusterRole(getNodes, [{ verbs: ["get"], resources: ["nodes"] }]);
  await rules.clusterBinding(getNodes, getNodes, bootstrappers);
  await rules.clusterBinding(`${names.program}:kubelet-bootstrap`, "system:node-bootstrapper", bootstrappers);
  await rules.clusterBinding(`${names.program}:node-autoapprove-bootstrap`, `${requests}:nodeclient`, bootstrappers);
  await rules.clusterBinding(
    `${names.program}:node-autoapprove-certificate-rotation`,
    `${requests}:selfnodeclient`,
    nodes,
  );
}
