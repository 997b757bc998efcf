import type { Client } from "@orch/client/client.js";
import { isRecord } from "@orch/client/objects.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { newKey, requestFor } from "@orch/pki/orders.js";
import { agentSubject } from "../client-configs/client-configs.js";
import { Final, until } from "../phases/wait.js";
import type { Tools } from "../world.js";

/**
 * A client certificate for a node, of the cluster itself: asked for with a key that never leaves this machine, approved and
 * signed there. @throws Error where it is denied, or where nobody has signed it in time
 */
export async function bootstrapNode(
  client: Client,
  { node, timeoutMs }: { readonly node: string; readonly timeoutMs: number },
  tools: Tools,
): Promise<KeyPair> {
  const { naming } = tools;
  const group = naming.group("certificates");
  const requests = { group, version: "v1", resource: "certificatesigningrequests" };
  const { key } = await newKey("ECDSA-P256");
  const request = await requestFor(key, { subject: agentSubject(node), names: [] });
  const made = await client.create(requests, {
    apiVersion: `${group}/v1`,
    kind: "CertificateSigningRequest",
    metadata: { generateName: "node-csr-" },
    spec: {
      request: Buffer.from(request).toString("base64"),
      signerName: naming.key("kube-apiserver-client-kubelet"),
      usages: ["digital signature", "client auth"],
    },
  });
  const name = made.metadata.name ?? "";
  const signed = async (): Promise<string> => {
    const { status } = await client.get(requests, name);
    const { certificate, conditions } = isRecord(status) ? status : {};
    const refused = (Array.isArray(conditions) ? conditions.filter(isRecord) : []).find(
      ({ type }) => type === "Denied" || type === "Failed",
    );
    if (refused !== undefined) {
      throw new Final(`the certificate of node ${node} was refused: ${refused["reason"]}: ${refused["message"]}`);
    }
    if (typeof certificate !== "string" || certificate === "") throw new Error(`the request ${name} is not signed yet`);
    return Buffer.from(certificate, "base64").toString("utf8");
  };
  return { certificate: await until(signed, { what: `no certificate for the node ${node}`, timeoutMs }, tools), key };
}
