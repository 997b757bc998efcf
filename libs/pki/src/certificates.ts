import "reflect-metadata"; // must come before the library

import { KeyObject, webcrypto, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { KeyPair } from "./key-pair.js";
import { backdatedMs, importSigningKey, newSerial } from "./signing.js";

const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256" } as const;
const signingAlgorithm = { name: "ECDSA", hash: "SHA-256" } as const;
const dayMs = 24 * 3600 * 1000;
const caDays = 3650;
const leafDays = 365;

interface Request {
  readonly subject: JsonName;
  readonly days: number;
  readonly extensions: readonly Extension[];
  /** Absent for a certificate that signs itself. */
  readonly issuer?: KeyPair;
}

async function issue(request: Request, now: number): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"]);
  const issuer = request.issuer === undefined ? undefined : new X509Certificate(request.issuer.certificate);
  const signing =
    request.issuer === undefined
      ? { key: keys.privateKey, algorithm: signingAlgorithm }
      : await importSigningKey(request.issuer.key);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: request.subject,
    issuer: issuer === undefined ? request.subject : issuer.subject.replaceAll("\n", ", "),
    notBefore: new Date(now - backdatedMs),
    notAfter: new Date(now + request.days * dayMs),
    publicKey: keys.publicKey,
    signingKey: signing.key,
    signingAlgorithm: signing.algorithm,
    extensions: [
      ...request.extensions,
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(issuer === undefined ? [] : [await AuthorityKeyIdentifierExtension.create(await importPublicKey(issuer))]),
    ],
  });
  return {
    certificate: `${certificate.toString("pem")}\n`,
    key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

async function importPublicKey(certificate: X509Certificate): Promise<webcrypto.CryptoKey> {
  const der = certificate.publicKey.export({ type: "spki", format: "der" });
  return await webcrypto.subtle.importKey("spki", der, keyAlgorithm, true, ["verify"]);
}

/** An authority that signs itself, or that another one vouches for. */
export function issueAuthority(name: string, now: number, issuer?: KeyPair): Promise<KeyPair> {
  return issue(
    {
      subject: [{ CN: [name] }],
      days: caDays,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(
          KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature,
          true,
        ),
      ],
      ...(issuer === undefined ? {} : { issuer }),
    },
    now,
  );
}

function leaf(...usages: ExtendedKeyUsage[]): Extension[] {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension(usages),
  ];
}

/** A serving certificate for host names and addresses. */
export function issueServing(authority: KeyPair, names: readonly string[], now: number): Promise<KeyPair> {
  const san = names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value }));
  return issue(
    {
      subject: [{ CN: ["apiserver"] }],
      days: leafDays,
      extensions: [...leaf(ExtendedKeyUsage.serverAuth), new SubjectAlternativeNameExtension(san)],
      issuer: authority,
    },
    now,
  );
}

/** A client certificate: the common name is the user, each organisation one of its groups; good for a year, or `days`. */
export function issueClient(
  authority: KeyPair,
  user: { readonly name: string; readonly groups?: readonly string[]; readonly days?: number },
  now: number,
): Promise<KeyPair> {
  return issue(
    {
      subject: [...(user.groups ?? []).map((group) => ({ O: [group] })), { CN: [user.name] }],
      days: user.days ?? leafDays,
      extensions: leaf(ExtendedKeyUsage.clientAuth),
      issuer: authority,
    },
    now,
  );
}

/** A certificate by which members of one cluster reach each other under these names: etcd's, for either side. */
export function issueMember(authority: KeyPair, names: readonly string[], now: number): Promise<KeyPair> {
  const san = names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value }));
  return issue(
    {
      subject: [{ CN: ["member"] }],
      days: leafDays,
      extensions: [
        ...leaf(ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth),
        new SubjectAlternativeNameExtension(san),
      ],
      issuer: authority,
    },
    now,
  );
}

/**
 * The certificate of a service among services, for either side of a connection: its URI is who it is. A host's name is
 * for those who scrape it and cannot look at the URI.
 */
export function issueService(
  authority: KeyPair,
  service: { readonly name: string; readonly uri: string; readonly host?: string },
  now: number,
): Promise<KeyPair> {
  const host = service.host === undefined ? [] : [{ type: "dns" as const, value: service.host }];
  return issue(
    {
      subject: [{ CN: [service.name] }],
      days: leafDays,
      extensions: [
        ...leaf(ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth),
        new SubjectAlternativeNameExtension([{ type: "url", value: service.uri }, ...host]),
      ],
      issuer: authority,
    },
    now,
  );
}
