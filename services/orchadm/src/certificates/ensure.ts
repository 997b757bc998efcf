import { createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { issueOrder, type KeyAlgorithm, keyAlgorithms, newKey } from "@orch/pki/orders.js";
import { durationMs } from "@orch/schema/formats/duration.js";
import type { Site } from "../site.js";
import { authorityProblem, findPair, pairProblem, writePair } from "./pairs.js";
import { type CertificateSpec, isAuthority } from "./specs.js";

/**
 * Has a certificate lie on disk: one that is there is used further, one that lacks is made.
 * @throws Error where the one that is there is wrong, or lacks while its authority's key is somewhere else
 */
export async function ensureCertificate(spec: CertificateSpec, site: Site): Promise<void> {
  if (isAuthority(spec)) await ensureAuthority(spec, site);
  else await ensureLeaf(spec, site);
}

const pathOf = (site: Site, base: string): string => `${site.cluster.certificatesDir}/${base}`;

async function ensureAuthority(spec: CertificateSpec, site: Site): Promise<void> {
  const { tools } = site;
  const { print, machine } = tools;
  const path = pathOf(site, spec.base);
  const { certificate, key } = findPair(machine, path);
  if (certificate !== undefined) {
    const problem = authorityProblem({ certificate, key });
    if (problem !== undefined) throw new Error(`certificate ${spec.name} is invalid: ${problem}`);
    print(`[certs] Using existing ${spec.name} certificate authority\n`);
    if (key === undefined) print(`[certs] The key of ${spec.name} is not here: external CA mode\n`);
    return;
  }
  if (key !== undefined) throw new Error(`${machine.at(`${path}.key`)} has no certificate beside it`);
  print(`[certs] Generating ${JSON.stringify(spec.name)} certificate and key\n`);
  writePair(machine, path, await made(spec, site, undefined));
}

async function ensureLeaf(spec: CertificateSpec, site: Site): Promise<void> {
  const { print, machine, clock } = site.tools;
  const path = pathOf(site, spec.base);
  const authority = findPair(machine, pathOf(site, spec.authority ?? ""));
  if (authority.certificate === undefined) {
    throw new Error(
      `couldn't load the certificate authority ${spec.authority} of ${spec.name}: there is no ${machine.at(pathOf(site, `${spec.authority}.crt`))}`,
    );
  }
  const { certificate, key } = findPair(machine, path);
  const names = spec.names(site);
  if (certificate !== undefined && key !== undefined) {
    const problem = pairProblem({ certificate, key }, { authority: authority.certificate, names, now: clock.now() });
    if (problem !== undefined) throw new Error(`certificate ${spec.base} is invalid: ${problem}`);
    print(`[certs] Using existing ${spec.name} certificate and key on disk\n`);
    return;
  }
  if (authority.key === undefined) {
    throw new Error(
      `the certificate ${spec.base} lacks and the key of its authority is not here (external CA mode): put ${machine.at(`${path}.crt`)} and its key there`,
    );
  }
  print(`[certs] Generating ${JSON.stringify(spec.name)} certificate and key\n`);
  if (names.length > 0) print(`[certs] ${spec.name} serving cert is signed for ${namesText(names)}\n`);
  writePair(machine, path, await made(spec, site, { certificate: authority.certificate, key: authority.key }));
}

const namesText = (names: readonly string[]): string =>
  `DNS names [${names.filter((name) => isIP(name) === 0).join(" ")}] and IPs [${names.filter((name) => isIP(name) !== 0).join(" ")}]`;

export const algorithmOf = ({ cluster }: Pick<Site, "cluster">): KeyAlgorithm =>
  keyAlgorithms.find((algorithm) => algorithm === cluster.encryptionAlgorithm) ?? "RSA-2048";

const yearMs = 8760 * 3600_000;

/** How long certificates of a cluster are good for, milliseconds. */
export const validityOf = ({ cluster }: Pick<Site, "cluster">) => ({
  leaf: durationMs(cluster.certificateValidityPeriod) ?? yearMs,
  authority: durationMs(cluster.caCertificateValidityPeriod) ?? 10 * yearMs,
});

/** A new certificate after a spec. */
export function made(spec: CertificateSpec, site: Site, authority: KeyPair | undefined): Promise<KeyPair> {
  const validity = validityOf(site);
  const order = {
    subject: spec.subject(site),
    usages: spec.usages,
    names: spec.names(site),
    algorithm: algorithmOf(site),
    validMs: isAuthority(spec) ? validity.authority : validity.leaf,
  };
  return issueOrder(order, site.tools.clock.now(), authority);
}

/** The key pair by which tokens of service accounts are signed. */
export async function ensureServiceAccountKey(site: Site): Promise<void> {
  const { print, machine } = site.tools;
  const path = pathOf(site, "sa");
  if (machine.exists(`${path}.key`)) {
    print('[certs] Using the existing "sa" key\n');
    if (!machine.exists(`${path}.pub`)) writePublic(machine.read(`${path}.key`));
    return;
  }
  print('[certs] Generating "sa" key and public key\n');
  const { key } = await newKey(algorithmOf(site));
  machine.write(`${path}.key`, key, { mode: 0o600 });
  writePublic(key);

  function writePublic(pem: string): void {
    const text = createPublicKey(pem).export({ type: "spki", format: "pem" }).toString();
    machine.write(`${path}.pub`, text, { mode: 0o600 });
  }
}
