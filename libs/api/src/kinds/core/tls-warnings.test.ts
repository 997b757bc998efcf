import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { tlsWarnings } from "./tls-warnings.js";

/** Of one another, made for these tests alone. */
const certificate = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBLjCB4aADAgECAhQCC4P4W4lpWzsdywG+q3gDei+lcDAFBgMrZXAwDDEKMAgG",
  "A1UEAwwBYTAgFw0yNjExMjgxOTU1NDZaGA8yMTI2MTEwNDE5NTU0NlowDDEKMAgG",
  "A1UEAwwBYTAqMAUGAytlcAMhAGGRwP9zb0o1VGGoZFyYEMQJWLDme0tdBhGEOfOx",
  "GCGho1MwUTAdBgNVHQ4EFgQUo+Pi8J0n0Fva35YZMIcDoyUGahgwHwYDVR0jBBgw",
  "FoAUo+Pi8J0n0Fva35YZMIcDoyUGahgwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD",
  "QQAWPm/v8yJiXci4zizy1M5EWDFA88V9B/AbMSyyah0zk8E6xP5YukFHXRUA8UCQ",
  "M1OPjWrkkrzY9YqPuI85HNIF",
  "-----END CERTIFICATE-----",
].join("\n");
const key = [
  "-----BEGIN PRIVATE KEY-----",
  "MC4CAQAwBQYDK2VwBCIEIGOyfWlTx6u4KUFB+NWBTZNHEErz+Hjoz1HibQ2v9kxI",
  "-----END PRIVATE KEY-----",
].join("\n");

const other = (type: "ed25519" | "ec"): string =>
  (type === "ec" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519")).privateKey
    .export({ type: "pkcs8", format: "pem" })
    .toString();
const block = (type: string): string => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;

for (const [what, crt, own, warning] of [
  ["a certificate and its key", certificate, key, undefined],
  ["a key behind what else there is", certificate, `${block("A")}${key}`, undefined],
  ["no certificate", "x", key, "tls: failed to find any PEM data in certificate input"],
  [
    "both in the other's place",
    key,
    certificate,
    "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
  ],
  [
    "other blocks than a certificate",
    `${block("A")}${block("B")}`,
    key,
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  ],
  ["no key", certificate, "", "tls: failed to find any PEM data in key input"],
  [
    "a certificate for a key",
    certificate,
    certificate,
    "tls: found a certificate rather than a key in the PEM for the private key",
  ],
  [
    "other blocks than a key",
    certificate,
    block("A"),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A]',
  ],
  ["a broken certificate", block("CERTIFICATE"), key, "x509: malformed certificate"],
  ["a broken key", certificate, block("PRIVATE KEY"), "tls: failed to parse private key"],
  ["another key", certificate, other("ed25519"), "tls: private key does not match public key"],
  ["a key of another kind", certificate, other("ec"), "tls: private key type does not match public key type"],
] as const) {
  test(`a secret with ${what} ${warning === undefined ? "is good" : "warns"}`, () => {
    const encoded = (text: string): string => Buffer.from(text).toString("base64");
    const warnings = [...tlsWarnings({ "tls.crt": encoded(crt), "tls.key": encoded(own) })];
    assert.deepEqual(warnings, warning === undefined ? [] : [warning]);
  });
}
