import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { ApiObject } from "@orch/client/objects.js";
import { isRecord } from "@orch/client/objects.js";
import { type Cluster, collections } from "../cluster.js";
import { newToken } from "../configuration/facts.js";
import type { Site } from "../site.js";
import { namesOf, tokenSecretName } from "./names.js";
import { accessRules, groupNamed } from "./rbac.js";
import { tokenSecret } from "./tokens.js";

const algorithm = "aes-256-gcm";
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16];
const lifetime = "2h0m0s";

/** 32 bytes, hexadecimal. */
export const newCertificateKey = (): string => randomBytes(keyBytes).toString("hex");

/** The nonce, then what the cipher makes, its tag at the end. */
export function sealed(text: string, key: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, Buffer.from(key, "hex"), nonce);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, body, cipher.getAuthTag()]);
}

/** @throws Error for another key, or bytes that somebody changed */
export function opened(bytes: Buffer, key: string): string {
  if (bytes.length < nonceBytes + tagBytes) throw new Error("the ciphertext is too short");
  const decipher = createDecipheriv(algorithm, Buffer.from(key, "hex"), bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const body = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([body, decipher.final()]).toString("utf8");
}

interface Shared {
  /** Of the Secret. */
  readonly key: string;
  readonly path: string;
  readonly mode: number;
}

/** What every machine of the control plane has alike. */
export function sharedFiles({ cluster }: Pick<Site, "cluster">): readonly Shared[] {
  const own = (file: string, mode: number): Shared => ({
    ...{ key: file.replace("/", "-"), path: `${cluster.certificatesDir}/${file}`, mode },
  });
  const authority = (base: string): readonly Shared[] => [own(`${base}.crt`, 0o644), own(`${base}.key`, 0o600)];
  const { external } = cluster.etcd;
  const etcd: readonly Shared[] =
    external === undefined
      ? authority("etcd/ca")
      : [
          { key: "external-etcd-ca.crt", path: external.caFile, mode: 0o644 },
          { key: "external-etcd.crt", path: external.certFile, mode: 0o644 },
          { key: "external-etcd.key", path: external.keyFile, mode: 0o600 },
        ].filter(({ path }) => path !== "");
  return [...authority("ca"), ...authority("front-proxy-ca"), own("sa.pub", 0o600), own("sa.key", 0o600), ...etcd];
}

/** Uploads them, encrypted; a token that means nothing else takes them away after two hours. */
export async function uploadCertificates(cluster: Cluster, site: Site, key: string): Promise<void> {
  const { naming, machine, clock } = site.tools;
  const names = namesOf(naming);
  const secrets = collections.secrets(names.systemNamespace);
  const data = Object.fromEntries(
    sharedFiles(site)
      // With an authority that others keep its key is not here.
      .filter(({ path }) => machine.exists(path))
      .map((file) => [file.key, sealed(machine.read(file.path), key).toString("base64")]),
  );
  const token = newToken();
  const description = `Proxy for managing TTL for the ${names.certificates} secret`;
  await cluster.ensure(secrets, tokenSecret({ token, description, ttl: lifetime }, { naming, now: clock.now() }));
  const owner = tokenSecretName(token.split(".")[0] ?? "");
  const made = await cluster.get(secrets, owner);
  await cluster.ensure(secrets, {
    ...{ apiVersion: "v1", kind: "Secret", type: "Opaque", data },
    metadata: {
      ...{ name: names.certificates, namespace: names.systemNamespace },
      ...(made === undefined ? {} : { ownerReferences: [ownerOf(made, owner)] }),
    },
  });
  await accessRules(cluster, naming).role(
    names.systemNamespace,
    `${names.program}:${names.certificates}`,
    [{ verbs: ["get"], resources: ["secrets"], resourceNames: [names.certificates] }],
    [groupNamed(names.bootstrappers)],
  );
}

const ownerOf = ({ metadata }: ApiObject, name: string) => ({
  ...{ apiVersion: "v1", kind: "Secret", name, uid: metadata.uid ?? "" },
  ...{ controller: true, blockOwnerDeletion: true },
});

/**
 * Writes what was uploaded to this machine.
 * @throws Error where nothing is there any more, or where the key is another
 */
export async function downloadCertificates(cluster: Pick<Cluster, "get">, site: Site, key: string): Promise<void> {
  const { naming, machine, print } = site.tools;
  const names = namesOf(naming);
  const secret = await cluster.get(collections.secrets(names.systemNamespace), names.certificates);
  if (secret === undefined) {
    throw new Error(
      `error downloading the secret: Secret ${JSON.stringify(names.certificates)} was not found in the ${JSON.stringify(names.systemNamespace)} Namespace. This Secret might have expired. Please, run \`${names.program} init phase upload-certs --upload-certs\` on a control plane to generate a new one`,
    );
  }
  const data: unknown = secret["data"];
  for (const file of sharedFiles(site)) {
    const value: unknown = isRecord(data) ? data[file.key] : undefined;
    if (typeof value !== "string") {
      if (file.key.endsWith("ca.key")) continue;
      throw new Error(
        `the Secret does not include the required certificate or key - name: ${file.key}, path: ${machine.at(file.path)}`,
      );
    }
    let text: string;
    try {
      text = opened(Buffer.from(value, "base64"), key);
    } catch (error) {
      throw new Error(
        "error decrypting the uploaded certificates: the certificate key is another, or they were changed",
        { cause: error },
      );
    }
    if (machine.exists(file.path)) continue;
    machine.write(file.path, text, { mode: file.mode });
  }
  print(
    `[download-certs] Saving the certificates to the folder: ${JSON.stringify(machine.at(site.cluster.certificatesDir))}\n`,
  );
}
