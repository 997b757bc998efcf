import { X509Certificate } from "node:crypto";
import { printClientConfig } from "@orch/client/config.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { issueAuthority, issueClient, issueMember, issueService, issueServing } from "@orch/pki/certificates.js";
import { isFor, isUsable, type KeyPair } from "@orch/pki/key-pair.js";
import { identityOf } from "@orch/runtime/service-identity.js";
import { type BundlePlan, bundleFiles, type Purpose } from "./bundles.js";
import type { Bundle, CertificatePlace } from "./place.js";

export interface EnsureOptions {
  readonly plans: readonly BundlePlan[];
  readonly place: CertificatePlace;
  readonly naming: Naming;
  /** Where clients reach gateways, for their configuration files. */
  readonly server: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Told of each bundle that was made or made anew. */
  readonly wrote: (name: string) => void;
}

/**
 * Makes the bundles that are missing, and anew those whose time ends, whose names are others or whose authority is another. An
 * authority is never replaced: everybody who trusts it would be locked out.
 * @throws Error that names an authority that is damaged or at its end
 */
export async function ensureCertificates({ plans, place, ...options }: EnsureOptions): Promise<void> {
  const made = new Map<string, KeyPair>();
  for (const plan of plans) {
    const before = await place.read(plan.name);
    const issuer = plan.issuer === undefined ? undefined : made.get(plan.issuer);
    const pair = await pairFor(plan, { before: pairOf(before), issuer, now: options.now });
    made.set(plan.name, pair);
    const bundle = bundleFor(plan, { pair, issuer, ...options });
    if (before !== undefined && bundleFiles.every((file) => before[file] === bundle[file])) continue;
    await place.write(plan.name, bundle);
    options.wrote(plan.name);
  }
}

interface Sources {
  readonly before: KeyPair | undefined;
  readonly issuer: KeyPair | undefined;
  readonly now: number;
}

async function pairFor({ name, purpose }: BundlePlan, { before, issuer, now }: Sources): Promise<KeyPair> {
  if (issuer === undefined) {
    if (before === undefined) return issueAuthority(`orch-${name}`, now);
    if (isUsable(before, before, now)) return before;
    throw new Error(
      `the authority ${name} is damaged or at its end; remove it and all that it signed to have new ones`,
    );
  }
  if (before !== undefined && isUsable(before, issuer, now) && isMeantFor(before, purpose)) return before;
  return issued(purpose, issuer, now);
}

function issued(purpose: Purpose, issuer: KeyPair, now: number): Promise<KeyPair> {
  switch (purpose.kind) {
    case "authority":
      return issueAuthority("orch", now, issuer);
    case "service":
      return issueService(issuer, { ...purpose, host: purpose.name }, now);
    case "serving":
      return issueServing(issuer, purpose.names, now);
    case "member":
      return issueMember(issuer, purpose.names, now);
    case "client":
      return issueClient(issuer, { name: purpose.user, groups: purpose.groups }, now);
  }
}

/** Whether a pair is for whom it is wanted now: flags may have changed since it was made. */
function isMeantFor(pair: KeyPair, purpose: Purpose): boolean {
  const { subjectAltName, subject } = new X509Certificate(pair.certificate);
  switch (purpose.kind) {
    case "authority":
      return true;
    case "service":
      return identityOf({ subjectaltname: subjectAltName }) === purpose.uri;
    case "serving":
    case "member":
      return isFor(pair, purpose.names);
    case "client":
      return subject === [...purpose.groups.map((group) => `O=${group}`), `CN=${purpose.user}`].join("\n");
  }
}

function pairOf(bundle: Bundle | undefined): KeyPair | undefined {
  const { "tls.crt": certificate, "tls.key": key } = bundle ?? {};
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

interface BundleParts extends Pick<EnsureOptions, "naming" | "server"> {
  readonly pair: KeyPair;
  readonly issuer: KeyPair | undefined;
}

function bundleFor({ config, purpose }: BundlePlan, { pair, issuer, naming, server }: BundleParts): Bundle {
  const ca = (issuer ?? pair).certificate;
  const files = { "tls.key": pair.key, "tls.crt": pair.certificate, "ca.crt": ca };
  if (config === undefined || purpose.kind !== "client") return files;
  const { user } = purpose;
  const text =
    config === "texts"
      ? printClientConfig({ naming, server, ca, user, ...pair })
      : configOfFiles({ naming, server, user });
  return { ...files, config: text };
}

/** A client configuration beside its certificate, for a process that reads both again when they change. */
function configOfFiles({ naming, server, user }: Pick<EnsureOptions, "naming" | "server"> & { user: string }): string {
  return printYaml({
    apiVersion: naming.clientConfigApiVersion,
    kind: "Config",
    clusters: [{ name: "orch", cluster: { server, "certificate-authority": "ca.crt" } }],
    users: [{ name: user, user: { "client-certificate": "tls.crt", "client-key": "tls.key" } }],
    contexts: [{ name: "orch", context: { cluster: "orch", user } }],
    "current-context": "orch",
  });
}
