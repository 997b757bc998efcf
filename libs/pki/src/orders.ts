import "reflect-metadata"; // must come before the library

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  X509Certificate as NodeCertificate,
  webcrypto,
} from "node:crypto";
import { isIP } from "node:net";
import { promisify } from "node:util";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { KeyPair } from "./key-pair.js";
import { backdatedMs, importSigningKey, newSerial } from "./signing.js";

export const keyAlgorithms = ["RSA-2048", "RSA-3072", "RSA-4096", "ECDSA-P256"] as const;
export type KeyAlgorithm = (typeof keyAlgorithms)[number];

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** A certificate as somebody wants it. */
export interface Order {
  readonly subject: Subject;
  /** Of an authority there are none: it signs. */
  readonly usages: "authority" | readonly ("server" | "client")[];
  /** Host names and addresses. */
  readonly names: readonly string[];
  readonly algorithm: KeyAlgorithm;
  /** Milliseconds. */
  readonly validMs: number;
}

const makeKeyPair = promisify(generateKeyPair);

/** A new private key: PEM, PKCS #8, and its public half, PEM. */
export async function newKey(algorithm: KeyAlgorithm): Promise<{ readonly key: string; readonly publicKey: string }> {
  const { privateKey, publicKey } =
    algorithm === "ECDSA-P256"
      ? await makeKeyPair("ec", { namedCurve: "prime256v1" })
      : await makeKeyPair("rsa", { modulusLength: Number(algorithm.slice("RSA-".length)) });
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
}

/**
 * A certificate with a key of its own, signed by the authority, or by itself where there is none. It begins when its
 * authority did, so that clocks that are behind take it, and ends with it at the latest.
 */
export async function issueOrder(order: Order, now: number, authority?: KeyPair): Promise<KeyPair> {
  const { key } = await newKey(order.algorithm);
  const own = await importSigningKey(key);
  const signer = authority === undefined ? own : await importSigningKey(authority.key);
  const issuer = authority === undefined ? undefined : new X509Certificate(authority.certificate);
  if (authority !== undefined && !isPair(authority)) {
    throw new Error("the authority's certificate and key do not belong together");
  }
  const publicKey = await publicKeyOf(key);
  const subject = nameOf(order.subject);
  const end = now + order.validMs;
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject,
    issuer: issuer?.subjectName ?? subject,
    notBefore: issuer?.notBefore ?? new Date(now - backdatedMs),
    notAfter: new Date(issuer === undefined ? end : Math.min(end, issuer.notAfter.getTime())),
    publicKey,
    signingKey: signer.key,
    signingAlgorithm: signer.algorithm,
    extensions: [
      ...usageExtensions(order.usages),
      await SubjectKeyIdentifierExtension.create(publicKey),
      ...(issuer === undefined ? [] : [await AuthorityKeyIdentifierExtension.create(issuer.publicKey)]),
      ...otherNames(order.names),
    ],
  });
  return { certificate: `${certificate.toString("pem")}\n`, key };
}

/** A request of a key's owner for a certificate: PKCS #10, PEM. */
export async function requestFor(key: string, order: Pick<Order, "subject" | "names">): Promise<string> {
  const signing = await importSigningKey(key);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: nameOf(order.subject),
    keys: { privateKey: signing.key, publicKey: await publicKeyOf(key) },
    signingAlgorithm: signing.algorithm,
    extensions: otherNames(order.names),
  });
  return `${request.toString("pem")}\n`;
}

const isPair = ({ certificate, key }: KeyPair): boolean =>
  new NodeCertificate(certificate).checkPrivateKey(createPrivateKey(key));

async function publicKeyOf(key: string): Promise<webcrypto.CryptoKey> {
  const { algorithm } = await importSigningKey(key);
  const der = createPublicKey(key).export({ type: "spki", format: "der" });
  return await webcrypto.subtle.importKey("spki", der, algorithm, true, ["verify"]);
}

const nameOf = ({ commonName, organizations = [] }: Subject) => [
  ...organizations.map((organization) => ({ O: [organization] })),
  { CN: [commonName] },
];

function usageExtensions(usages: Order["usages"]): Extension[] {
  const both = KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment;
  if (usages === "authority") {
    return [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(both | KeyUsageFlags.keyCertSign, true),
    ];
  }
  const purposes = { server: ExtendedKeyUsage.serverAuth, client: ExtendedKeyUsage.clientAuth };
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(both, true),
    new ExtendedKeyUsageExtension(usages.map((usage) => purposes[usage])),
  ];
}

function otherNames(names: readonly string[]): Extension[] {
  if (names.length === 0) return [];
  const parts = names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value }));
  return [new SubjectAlternativeNameExtension(parts)];
}
