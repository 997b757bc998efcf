import "reflect-metadata"; // must come before the library

import assert from "node:assert/strict";
import { generateKeyPairSync, KeyObject, webcrypto, X509Certificate } from "node:crypto";
import { test } from "node:test";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonName,
  KeyUsagesExtension,
  X509Certificate as PeculiarCertificate,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import fc from "fast-check";
import { issueAuthority } from "./certificates.js";
import type { KeyPair } from "./key-pair.js";
import { type SigningOrder, signRequest } from "./sign-request.js";
import { importSigningKey } from "./signing.js";

const now = Date.parse("2026-01-01T00:00:00Z");
const hourMs = 3600_000;
const minuteMs = 60_000;
const p256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const node: JsonName = [{ O: ["system:nodes"] }, { CN: ["system:node:n1"] }];

async function requestOf(options: { name?: JsonName; algorithm?: object; extensions?: Extension[] } = {}) {
  const algorithm = { ...p256, ...options.algorithm };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  assert.ok("privateKey" in keys);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: options.name ?? node,
    keys,
    signingAlgorithm: algorithm,
    extensions: options.extensions ?? [],
  });
  return { pem: request.toString("pem"), publicKey: KeyObject.from(keys.publicKey) };
}

const ca = await issueAuthority('ca, of "commas"', now - 24 * hourMs);

async function sign(pem: string, order: Partial<SigningOrder> = {}) {
  return await signRequest({
    request: pem,
    authority: ca,
    usages: ["digital signature", "key encipherment", "client auth"],
    now,
    durationMs: 24 * hourMs,
    ...order,
  });
}

async function signed(pem: string, order: Partial<SigningOrder> = {}) {
  const result = await sign(pem, order);
  assert.ok(result.ok, "problem" in result ? result.problem : "");
  return {
    ...result,
    read: new X509Certificate(result.certificate),
    whole: new PeculiarCertificate(result.certificate),
  };
}

test("subject, other names, key and usages of a request go into the certificate", async () => {
  const other = [
    { type: "dns", value: "n1.example.com" },
    { type: "ip", value: "10.0.0.1" },
    { type: "ip", value: "fd00::1" },
    { type: "email", value: "a@example.com" },
    { type: "url", value: "spiffe://a/b" },
  ] as const;
  const { pem, publicKey } = await requestOf({ extensions: [new SubjectAlternativeNameExtension([...other])] });
  const { read, whole, subject } = await signed(pem);
  assert.equal(read.subject, "O=system:nodes\nCN=system:node:n1");
  assert.ok(read.publicKey.equals(publicKey));
  const authority = new X509Certificate(ca.certificate);
  assert.ok(read.verify(authority.publicKey) && read.checkIssued(authority) && !read.ca);
  assert.deepEqual(read.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
  assert.equal(whole.getExtension(KeyUsagesExtension)?.usages, 0b101);
  assert.deepEqual(subject, {
    commonNames: ["system:node:n1"],
    organizations: ["system:nodes"],
    dnsNames: ["n1.example.com"],
    emails: ["a@example.com"],
    uris: ["spiffe://a/b"],
    addresses: ["10.0.0.1", "fd00::1"],
  });
  assert.match(read.subjectAltName ?? "", /^DNS:n1.example.com, IP Address:10.0.0.1, IP Address:FD00.*:1, email:a@/);
  assert.match(read.serialNumber, /^[4-7][0-9A-F]{31}$/);
});

test("nothing else of a request is taken over", async () => {
  const { pem } = await requestOf({
    extensions: [new BasicConstraintsExtension(true, 3, true), new ExtendedKeyUsageExtension(["2.5.29.37.0"])],
  });
  const { read, whole } = await signed(pem);
  assert.equal(read.ca, false);
  assert.deepEqual(whole.getExtension(BasicConstraintsExtension)?.ca, false);
  assert.deepEqual(read.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
  assert.equal(read.subjectAltName, undefined);
});

test("a certificate begins five minutes ago and ends with its authority at the latest", async () => {
  const { pem } = await requestOf();
  const end = async (durationMs: number, at = now) => {
    const { read } = await signed(pem, { durationMs, now: at });
    assert.equal(Date.parse(read.validFrom), at - 5 * minuteMs);
    return Date.parse(read.validTo);
  };
  assert.equal(await end(24 * hourMs), now + 24 * hourMs - 5 * minuteMs);
  assert.equal(await end(8 * hourMs), now + 8 * hourMs - 5 * minuteMs);
  assert.equal(await end(10 * minuteMs), now + 10 * minuteMs);
  const last = Date.parse(new X509Certificate(ca.certificate).validTo);
  assert.equal(await end(24 * hourMs, last - hourMs), last);
  await assert.rejects(sign(pem, { now: last + 5 * minuteMs }), /the authority has expired at/);
});

async function authorityOf(keys: { privateKey: KeyObject; publicKey: KeyObject }): Promise<KeyPair> {
  const key = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const signing = await importSigningKey(key);
  const certificate = await X509CertificateGenerator.create({
    subject: "CN=other, O=Ä",
    issuer: "CN=other, O=Ä",
    notBefore: new Date(now - hourMs),
    notAfter: new Date(now + 1000 * hourMs),
    publicKey: keys.publicKey.export({ type: "spki", format: "der" }),
    signingKey: signing.key,
    signingAlgorithm: signing.algorithm,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return { certificate: certificate.toString("pem"), key };
}

test("authorities have keys of RSA or of ECDSA", async () => {
  const { pem } = await requestOf();
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const curves = ["prime256v1", "secp384r1", "secp521r1"].map((namedCurve) =>
    generateKeyPairSync("ec", { namedCurve }),
  );
  for (const keys of [rsa, ...curves]) {
    const authority = await authorityOf(keys);
    const { read } = await signed(pem, { authority });
    const issuer = new X509Certificate(authority.certificate);
    assert.ok(read.verify(issuer.publicKey) && read.checkIssued(issuer));
  }
  const pkcs1 = rsa.privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  await signed(pem, { authority: { ...(await authorityOf(rsa)), key: pkcs1 } });
  const ed = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  await assert.rejects(sign(pem, { authority: { ...ca, key: ed } }), /neither of RSA nor of ECDSA/);
  const other = (await issueAuthority("other", now)).key;
  await assert.rejects(sign(pem, { authority: { ...ca, key: other } }), /do not belong together/);
  await assert.rejects(sign(pem, { authority: { certificate: "x", key: ca.key } }));
});

test("requests have keys of any sort that can prove itself", async () => {
  const rsa = { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
  for (const algorithm of [rsa, { namedCurve: "P-384", hash: "SHA-384" }]) {
    const { pem, publicKey } = await requestOf({ algorithm });
    assert.ok((await signed(pem)).read.publicKey.equals(publicKey));
  }
});

test("a request that is wrong is told apart from an authority that is", async () => {
  const { pem } = await requestOf();
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
  const changed = Buffer.from(der);
  const at = changed.indexOf("system:node:n1");
  changed.write("system:node:n2", at);
  const armoured = (bytes: Buffer) =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
  const rows: readonly (readonly [string, RegExp])[] = [
    [armoured(changed), /^unable to verify certificate request signature$/],
    [armoured(der.subarray(0, 100)), /^unable to parse/],
    [ca.certificate, /^unable to parse/],
    ["", /^unable to parse/],
    ["-----BEGIN CERTIFICATE REQUEST-----", /^unable to parse/],
  ];
  for (const [request, problem] of rows) {
    const result = await sign(request);
    assert.ok(!result.ok);
    assert.match(result.problem, problem);
  }
  const unknown = await sign(pem, { usages: ["client auth", "fun", "constructor"] });
  assert.deepEqual(unknown, { ok: false, problem: 'unrecognized usage values: "fun", "constructor"' });
});

test("a request with any byte changed is refused, or says what was signed, and never throws", async () => {
  const names = new SubjectAlternativeNameExtension([{ type: "dns", value: "a" }]);
  const { pem, publicKey } = await requestOf({ extensions: [names] });
  const { subject } = await signed(pem);
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
  await fc.assert(
    fc.asyncProperty(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(der);
      changed[at] = (changed[at] ?? 0) ^ by;
      const armoured = changed.toString("base64");
      const result = await sign(
        `-----BEGIN CERTIFICATE REQUEST-----\n${armoured}\n-----END CERTIFICATE REQUEST-----\n`,
      );
      if (!result.ok) return;
      // The wrapping around what was signed may be read leniently.
      assert.deepEqual(result.subject, subject);
      assert.ok(new X509Certificate(result.certificate).publicKey.equals(publicKey));
    }),
    { numRuns: 100 },
  );
});

test("every usage that the API knows is one of certificates", async () => {
  const { pem } = await requestOf();
  const { whole } = await signed(pem, {
    usages: ["signing", "content commitment", "key agreement", "data encipherment", "cert sign", "crl sign", "any"],
  });
  assert.equal(whole.getExtension(KeyUsagesExtension)?.usages, 0b1111011);
  const extended = await signed(pem, { usages: ["server auth", "s/mime", "email protection", "netscape sgc"] });
  assert.deepEqual(extended.read.keyUsage, ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.4", "2.16.840.1.113730.4.1"]);
  assert.equal(extended.whole.getExtension(KeyUsagesExtension), null);
});
