import "reflect-metadata"; // must come before the library

import { createPrivateKey, X509Certificate as NodeCertificate } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  type Extension,
  type GeneralName,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { KeyPair } from "./key-pair.js";
import { backdatedMs, importSigningKey, newSerial } from "./signing.js";
import { usageExtensions } from "./usages.js";

export interface SigningOrder {
  /** PEM of a PKCS#10 request. */
  readonly request: string;
  readonly authority: KeyPair;
  /** As the API names them: `client auth`, `digital signature`. */
  readonly usages: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly durationMs: number;
}

/** What a certificate says of its subject, as those who will check it read it. */
export interface IssuedSubject {
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  readonly addresses: readonly string[];
}

export type Signed =
  | { readonly ok: true /** PEM. */; readonly certificate: string; readonly subject: IssuedSubject }
  /** What is wrong with the request. */
  | { readonly ok: false; readonly problem: string };

/** Lives shorter than this are not made shorter still by what the start is dated back. */
const shortMs = 8 * 3600 * 1000;

/**
 * Signs a request: its subject, other names and key, and nothing else of it, go into the certificate.
 * @throws Error where the authority cannot sign: its files do not fit, or its time is over
 */
export async function signRequest({ request, authority, usages, now, durationMs }: SigningOrder): Promise<Signed> {
  const signing = await importSigningKey(authority.key);
  const issuer = new X509Certificate(authority.certificate);
  if (!new NodeCertificate(authority.certificate).checkPrivateKey(createPrivateKey(authority.key))) {
    throw new Error("the authority's certificate and key do not belong together");
  }
  const lastMs = issuer.notAfter.getTime();
  const notBefore = now - backdatedMs;
  if (notBefore >= lastMs) throw new Error(`the authority has expired at ${issuer.notAfter.toISOString()}`);
  const notAfter = Math.min(lastMs, now + durationMs - (durationMs < shortMs ? 0 : backdatedMs));

  const parsed = await readRequest(request);
  if (typeof parsed === "string") return { ok: false, problem: parsed };
  const usage = usageExtensions(usages);
  if (typeof usage === "string") return { ok: false, problem: usage };
  const names = alternativeNames(parsed);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: parsed.subjectName,
    issuer: issuer.subjectName,
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    publicKey: parsed.publicKey,
    signingKey: signing.key,
    signingAlgorithm: signing.algorithm,
    extensions: [
      ...usage,
      new BasicConstraintsExtension(false, undefined, true),
      await SubjectKeyIdentifierExtension.create(parsed.publicKey),
      await authorityIdentifier(issuer),
      // Where there is no subject the other names are all there is, and must be understood.
      ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names, parsed.subject === "")]),
    ],
  });
  const pem = `${certificate.toString("pem")}\n`;
  return { ok: true, certificate: pem, subject: subjectOf(pem, names) };
}

/** A request whose signature shows that its sender has the key; a text says what is wrong. */
async function readRequest(pem: string): Promise<Pkcs10CertificateRequest | string> {
  let request: Pkcs10CertificateRequest;
  try {
    request = new Pkcs10CertificateRequest(pem);
    // Both are read when they are first asked for.
    void [request.subject, alternativeNames(request)];
  } catch {
    return "unable to parse the certificate request";
  }
  const isSigned = await request.verify().catch(() => false);
  return isSigned ? request : "unable to verify certificate request signature";
}

const alternativeNamesId = "2.5.29.17";
const understood = ["dns", "email", "ip", "url"];

/** The names of the kinds that certificates are checked by; others are left out. */
function alternativeNames(request: Pkcs10CertificateRequest): { type: GeneralName["type"]; value: string }[] {
  const extension = request.getExtension(alternativeNamesId);
  if (extension === null) return [];
  return new SubjectAlternativeNameExtension(extension.rawData).names.items
    .filter(({ type }) => understood.includes(type))
    .map(({ type, value }) => ({ type, value }));
}

async function authorityIdentifier(issuer: X509Certificate): Promise<Extension> {
  const own = issuer.getExtension(SubjectKeyIdentifierExtension);
  if (own !== null) return new AuthorityKeyIdentifierExtension(own.keyId);
  return await AuthorityKeyIdentifierExtension.create(issuer.publicKey);
}

function subjectOf(pem: string, names: readonly { readonly type: string; readonly value: string }[]): IssuedSubject {
  const { subject } = new NodeCertificate(pem).toLegacyObject();
  const parts = new Map<string, unknown>(Object.entries(subject ?? {}));
  const valuesOf = (type: string): readonly string[] => names.filter((n) => n.type === type).map((n) => n.value);
  return {
    commonNames: listOf(parts.get("CN")),
    organizations: listOf(parts.get("O")),
    dnsNames: valuesOf("dns"),
    emails: valuesOf("email"),
    uris: valuesOf("url"),
    addresses: valuesOf("ip"),
  };
}

/** Node gives a name that occurs several times as a list. */
function listOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((v): v is string => typeof v === "string");
}
