import assert from "node:assert/strict";
import { createPublicKey, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { issueOrder, keyAlgorithms, newKey, type Order, requestFor } from "./orders.js";
import { signRequest } from "./sign-request.js";

const now = Date.parse("2026-01-01T00:00:00Z");
const dayMs = 86_400_000;
const order = (more: Partial<Order> = {}): Order => ({
  ...{ subject: { commonName: "a" }, usages: ["client"], names: [], algorithm: "ECDSA-P256", validMs: 365 * dayMs },
  ...more,
});
const authority = await issueOrder(order({ usages: "authority", validMs: 10 * dayMs }), now);

test("an authority of each algorithm signs a certificate of each", async () => {
  for (const algorithm of keyAlgorithms.filter((each) => each !== "RSA-4096")) {
    const signer = await issueOrder(order({ usages: "authority", algorithm }), now);
    const read = new X509Certificate((await issueOrder(order({ algorithm }), now, signer)).certificate);
    assert.ok(read.verify(new X509Certificate(signer.certificate).publicKey) && !read.ca, algorithm);
  }
});

test("it begins with its authority and ends with it at the latest", async () => {
  const [signer, read] = [authority, await issueOrder(order(), now, authority)].map(
    ({ certificate }) => new X509Certificate(certificate),
  );
  assert.equal(read?.validFrom, signer?.validFrom);
  assert.equal(read?.validTo, signer?.validTo);
});

test("organizations, names and usages are those of the order", async () => {
  const names = ["a.example.com", "10.0.0.1", "::1"];
  const subject = { commonName: "a, of b", organizations: ["x", "y"] };
  const { certificate } = await issueOrder(order({ subject, names, usages: ["server", "client"] }), now, authority);
  const read = new X509Certificate(certificate);
  assert.equal(read.subject, "O=x\nO=y\nCN=a\\, of b");
  assert.equal(read.subjectAltName, "DNS:a.example.com, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  assert.deepEqual(read.keyUsage, ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
});

test("a certificate and a key of two authorities sign nothing", async () => {
  const other = await issueOrder(order({ usages: "authority" }), now);
  await assert.rejects(issueOrder(order(), now, { ...authority, key: other.key }), /do not belong together/);
});

test("a request is what an authority signs", async () => {
  for (const algorithm of ["RSA-2048", "ECDSA-P256"] as const) {
    const { key, publicKey } = await newKey(algorithm);
    const request = await requestFor(key, { subject: { commonName: "n" }, names: ["n.example.com"] });
    const signed = await signRequest({ request, authority, usages: ["client auth"], now, durationMs: dayMs });
    assert.ok(signed.ok);
    const read = new X509Certificate(signed.certificate);
    assert.ok(read.publicKey.equals(createPublicKey(publicKey)));
    assert.equal(read.subjectAltName, "DNS:n.example.com");
  }
});
