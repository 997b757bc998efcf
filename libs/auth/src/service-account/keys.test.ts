import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { exportJWK } from "jose";
import { parsePublicKeys, parseSigningKey } from "./keys.js";
import { openIdDocuments } from "./open-id.js";

const pkcs8 = ({ privateKey }: { readonly privateKey: KeyObject }): string =>
  privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });

const kinds: readonly (readonly [string, string, string | undefined])[] = [
  ["RSA of 2048 bits", pkcs8(rsa), "RS256"],
  ["RSA in PKCS#1", rsa.privateKey.export({ type: "pkcs1", format: "pem" }).toString(), "RS256"],
  ["P-256", pkcs8(p256), "ES256"],
  ["P-256 in SEC 1", p256.privateKey.export({ type: "sec1", format: "pem" }).toString(), "ES256"],
  ["P-384", pkcs8(generateKeyPairSync("ec", { namedCurve: "P-384" })), "ES384"],
  ["P-521", pkcs8(generateKeyPairSync("ec", { namedCurve: "P-521" })), "ES512"],
  ["RSA of 1024 bits", pkcs8(generateKeyPairSync("rsa", { modulusLength: 1024 })), undefined],
  ["another curve", pkcs8(generateKeyPairSync("ec", { namedCurve: "secp256k1" })), undefined],
  ["Ed25519", pkcs8(generateKeyPairSync("ed25519")), undefined],
  [
    "an encrypted key",
    p256.privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }).toString(),
    undefined,
  ],
  ["a public key", p256.publicKey.export({ type: "spki", format: "pem" }).toString(), undefined],
  ["nothing", "", undefined],
  ["junk", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", undefined],
];
for (const [what, pem, algorithm] of kinds) {
  test(`to sign with ${what}: ${algorithm ?? "refused"}`, () => {
    const read = parseSigningKey(pem);
    assert.equal(read.ok ? read.value.algorithm : undefined, algorithm);
    if (!read.ok) assert.ok(pem === "" || !read.problems.join().includes(pem.split("\n")[1] ?? "-"));
  });
}

test("a key's id is the SHA-256 of its DER", () => {
  // Made with: openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | basenc --base64url
  const pem = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3+0UtjXE9Yxkc2kM2mDqkB0VwUBn
rh8KjEdou6UAlqR/PhMfw0VpzlOg4l6mCE7KZblBVancWN3F5ljvrQihOQ==
-----END PUBLIC KEY-----
`;
  const read = parsePublicKeys([pem]);
  assert.ok(read.ok);
  assert.equal(read.value[0]?.id, "Vq55wMYghZEWZDCKD-xYj5Xcycn6cAZgYpfIymmwceQ");
});

test("keys are found among other blocks, each once, and private ones are only their public halves", () => {
  const spki = rsa.publicKey.export({ type: "spki", format: "pem" }).toString();
  const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  const read = parsePublicKeys([`words\n${parameters}${pkcs8(p256)}${pkcs8(rsa)}`, spki]);
  assert.ok(read.ok);
  assert.deepEqual(
    read.value.map(({ algorithm, key }) => [algorithm, key.type]),
    [
      ["ES256", "public"],
      ["RS256", "public"],
    ],
  );
});

test("a text without a key, and a key of a wrong kind, are told by their place", () => {
  const read = parsePublicKeys([pkcs8(rsa), "nothing", pkcs8(generateKeyPairSync("ed25519"))]);
  assert.ok(!read.ok);
  assert.deepEqual(
    read.problems.map((problem) => problem.slice(0, 7)),
    ["keys[1]", "keys[2]"],
  );
});

const settings = (change: object = {}) => {
  const keys = parsePublicKeys([pkcs8(rsa), pkcs8(p256)]);
  assert.ok(keys.ok);
  return {
    issuer: "https://cluster.example",
    jwksUri: "https://1.2.3.4:6443/openid/v1/jwks",
    keys: keys.value,
    ...change,
  };
};

test("discovery tells the issuer, where its keys are, and their public halves alone", async () => {
  const documents = openIdDocuments(settings());
  assert.ok(documents.ok);
  assert.equal(
    documents.value.configuration,
    '{"issuer":"https://cluster.example","jwks_uri":"https://1.2.3.4:6443/openid/v1/jwks",' +
      '"response_types_supported":["id_token"],"subject_types_supported":["public"],' +
      '"id_token_signing_alg_values_supported":["ES256","RS256"]}',
  );
  const { keys } = settings();
  const wanted = await Promise.all(
    keys.map(async ({ id, algorithm, key }) => ({
      use: "sig",
      kid: id,
      alg: algorithm,
      ...(await exportJWK(createPublicKey(key.export({ type: "spki", format: "pem" })))),
    })),
  );
  assert.deepEqual(JSON.parse(documents.value.keySet), { keys: wanted });
  for (const secret of ['"d"', '"p"', '"q"', '"dp"', '"k"']) assert.ok(!documents.value.keySet.includes(secret));
});

const refused: readonly (readonly [object, RegExp])[] = [
  [{ issuer: "me" }, /is no URL/],
  [{ issuer: "http://cluster.example" }, /must use https/],
  [{ issuer: "https://cluster.example?a=b" }, /may not include a query/],
  [{ issuer: "https://cluster.example#a" }, /may not include a fragment/],
  [{ jwksUri: "http://cluster.example" }, /requires https/],
  [{ jwksUri: "" }, /requires https/],
  [{ keys: [] }, /no keys/],
];
for (const [change, problem] of refused) {
  test(`discovery is refused for ${JSON.stringify(change)}`, () => {
    const documents = openIdDocuments(settings(change));
    assert.ok(!documents.ok);
    assert.match(documents.problems.join(), problem);
  });
}
