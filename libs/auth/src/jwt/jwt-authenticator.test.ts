import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { before, test } from "node:test";
import type { JWK } from "jose";
import { configurationOf, fakeIssuer, type SigningKey, signed, signingKey } from "./testing/fake-issuer.js";
import { noonSeconds, shown, startedKit } from "./testing/kit.js";

const url = "https://issuer";
const keys = new Map<string, SigningKey>();

function key(name: string): SigningKey {
  const found = keys.get(name);
  assert.ok(found, name);
  return found;
}

before(async () => {
  const algorithms = ["RS256", "RS512", "PS256", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
  const all = await Promise.all([
    ...algorithms.map((algorithm) => signingKey(algorithm, algorithm)),
    signingKey("ES256", "stranger"),
  ]);
  for (const each of all) keys.set(each.name, each);
});

/** Claims that are good at noon, with some of them replaced; undefined takes one out. */
const claims = (given: object = {}): object => ({
  iss: url,
  aud: "orch",
  exp: noonSeconds + 3600,
  sub: "alice",
  groups: ["dev"],
  ...given,
});

/** An issuer that has published all keys but the stranger's. */
function publishing() {
  const issuer = fakeIssuer(url);
  issuer.publish(...[...keys.values()].filter(({ name }) => name !== "stranger"));
  return issuer;
}

const encoded = (value: object | string): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

test("a user is who the claims of a signed token say", async () => {
  const { jwt } = await startedKit([publishing()]);
  const token = await signed(key("ES256"), claims({ jti: "t-1" }));
  assert.deepEqual(await jwt.authenticateToken(token, ["api", "other"]), {
    outcome: "allow",
    user: {
      name: "alice",
      uid: "",
      groups: ["dev", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=t-1"] },
    },
    audiences: ["api"],
  });
  assert.deepEqual(await jwt.authenticateToken(token, ["other"]), { outcome: "none" });
});

test("tokens are signed with the asymmetric algorithms that are allowed", async () => {
  const every = await startedKit([publishing()]);
  const one = await startedKit([publishing()], { algorithms: ["PS512"] });
  for (const name of ["RS256", "RS512", "PS256", "PS512", "ES256", "ES384", "ES512", "EdDSA"]) {
    const token = await signed(key(name), claims());
    const refused = "deny oidc: the token is signed with an algorithm that is not allowed";
    assert.equal(await every.ask(token), name === "EdDSA" ? refused : "allow alice[dev]", name);
    assert.equal(await one.ask(token), name === "PS512" ? "allow alice[dev]" : refused, name);
  }
});

test("forged signatures are refused", async () => {
  const { ask } = await startedKit([publishing()]);
  const good = await signed(key("RS256"), claims());
  const [header = "", payload = "", signature = ""] = good.split(".");
  const unsigned = (given: object): string => `${encoded(given)}.${payload}.`;
  const hmac = (secret: string): string => {
    const text = `${encoded({ alg: "HS256", kid: "RS256" })}.${payload}`;
    return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
  };
  const stranger = key("stranger");
  const mallory = encoded(claims({ sub: "mallory" }));
  const notAllowed = "deny oidc: the token is signed with an algorithm that is not allowed";
  const noKey = "deny oidc: no key of the issuer made the token's signature";
  const critical = "deny oidc: the token has critical extensions";
  const rows: readonly (readonly [string, string, string])[] = [
    ["good", good, "allow alice[dev]"],
    ["no algorithm (CVE-2015-9235)", unsigned({ alg: "none" }), notAllowed],
    ["no algorithm, in other letters", unsigned({ alg: "nOnE" }), notAllowed],
    ["no algorithm and a signature", `${encoded({ alg: "none" })}.${payload}.${signature}`, notAllowed],
    ["an algorithm that is no text", unsigned({ alg: ["RS256"] }), notAllowed],
    ["a header without algorithm", unsigned({}), notAllowed],
    ["a name of a prototype", unsigned({ alg: "constructor" }), notAllowed],
    ["no signature", `${header}.${payload}.`, noKey],
    ["other claims", `${header}.${mallory}.${signature}`, noKey],
    ["the public key as HMAC secret (CVE-2016-10555)", hmac(JSON.stringify(key("RS256").publicJwk)), notAllowed],
    ["the modulus as HMAC secret", hmac(key("RS256").publicJwk.n ?? ""), notAllowed],
    ["a stranger's key", await signed(stranger, claims()), noKey],
    ["a stranger's key by our name", await signed(stranger, claims(), { kid: "ES256" }), noKey],
    ["a stranger's key and no name", await signed(stranger, claims(), { kid: undefined }), noKey],
    ["our key and no name", await signed(key("ES256"), claims(), { kid: undefined }), "allow alice[dev]"],
    ["our key and an empty name", await signed(key("ES256"), claims(), { kid: "" }), "allow alice[dev]"],
    ["our key by another name", await signed(key("ES256"), claims(), { kid: "ES384" }), noKey],
    ["an EC key by the name of an RSA key", await signed(key("ES256"), claims(), { kid: "RS256" }), noKey],
    [
      "a key in the header (CVE-2018-0114)",
      await signed(stranger, claims(), { jwk: stranger.publicJwk, kid: undefined }),
      noKey,
    ],
    [
      "an address of keys",
      await signed(stranger, claims(), { jku: "https://evil/keys", x5u: "https://evil/c" }),
      noKey,
    ],
    ["critical extensions", `${encoded({ alg: "RS256", crit: ["exp"], exp: 1 })}.${payload}.${signature}`, critical],
    ["a payload that is no base64", `${encoded({ alg: "RS256", b64: false })}.${payload}.${signature}`, critical],
    [
      "a kid that is no text",
      `${encoded({ alg: "RS256", kid: 1 })}.${payload}.${signature}`,
      "deny oidc: the token's kid is no text",
    ],
    [
      "a header that is no JSON",
      `${encoded("junk")}.${payload}.${signature}`,
      "deny oidc: the token's header cannot be read",
    ],
    [
      "a header that is a list",
      `${encoded([])}.${payload}.${signature}`,
      "deny oidc: the token's header cannot be read",
    ],
  ];
  for (const [name, token, expected] of rows) assert.equal(await ask(token), expected, name);
});

test("claims say for whom and when", async () => {
  const { ask } = await startedKit([publishing()]);
  const now = noonSeconds;
  const rows: readonly (readonly [object, string])[] = [
    [{ aud: ["x", "orch"] }, ""],
    [{ aud: "x" }, "is for other audiences"],
    [{ aud: [] }, "is for other audiences"],
    [{ aud: undefined }, "is for other audiences"],
    [{ aud: { orch: true } }, "is for other audiences"],
    [{ exp: now }, ""],
    [{ exp: now - 0.001 }, "is expired"],
    [{ exp: 0 }, "is expired"],
    [{ exp: -1 }, "is expired"],
    [{ exp: undefined }, "has no time of expiry"],
    [{ exp: null }, "has no time of expiry"],
    [{ exp: `${now + 60}` }, "has no time of expiry"],
    [{ nbf: now + 60 }, ""],
    [{ nbf: now + 61 }, "is not valid yet"],
    [{ nbf: null }, ""],
    [{ nbf: "soon" }, "has a nbf that is no time"],
    [{ iat: now + 86_400 }, ""],
    [{ iat: "now" }, "has an iat that is no time"],
  ];
  for (const [given, why] of rows) {
    const expected = why === "" ? "allow alice[dev]" : `deny oidc: the token ${why}`;
    assert.equal(await ask(await signed(key("ES256"), claims(given))), expected, JSON.stringify(given));
  }
  const endless = JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e999');
  assert.equal(await ask(await signed(key("ES256"), endless)), "deny oidc: the token has no time of expiry");
});

test("tokens of other sorts and issuers are not of this authenticator's", async () => {
  const { ask, told } = await startedKit([publishing()]);
  const sign = (given: object | string): Promise<string> => signed(key("ES256"), given);
  const good = await sign(claims());
  const [header = "", payload = "", signature = ""] = good.split(".");
  const tokens = [
    "",
    ".",
    "..",
    "...",
    "opaque",
    "abcdef.0123456789abcdef",
    `${payload}.${signature}`,
    `.${payload}.${signature}`,
    `${header}.${payload}`,
    `${good}.`,
    `${header}.${payload}.${signature}.${signature}`,
    `${header}.${payload}=.${signature}`,
    `${header}.${payload}.${signature}=`,
    `${header}.${payload}.${signature} `,
    `${header}.${payload} .${signature}`,
    JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
    await sign(claims({ iss: "https://other" })),
    await sign(claims({ iss: `${url}/` })),
    await sign(claims({ iss: [url] })),
    await sign(claims({ iss: undefined })),
    await sign(claims({ iss: "__proto__" })),
    await sign("junk"),
    await sign("null"),
    await sign(JSON.stringify([claims()])),
    `${header}.${Buffer.from([0xff, 0xfe]).toString("base64url")}.${signature}`,
  ];
  told.length = 0;
  for (const token of tokens) assert.equal(await ask(token), "none", token);
  assert.deepEqual(told, [], "nothing is measured for them");
});

test("a token has one spelling alone", async () => {
  const { ask } = await startedKit([publishing()]);
  const good = await signed(key("RS256"), claims());
  assert.equal(await ask(good), "allow alice[dev]");
  // 256 bytes leave four bits of the last letter without meaning.
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = letters.indexOf(good.slice(-1));
  assert.equal(last % 16, 0);
  assert.equal(await ask(good.slice(0, -1) + letters[last + 1]), "none");
});

test("a token that is too long is not read", async () => {
  const { ask } = await startedKit([publishing()]);
  const tooLong = "deny oidc: the token is too long";
  const longest = "a".repeat(16 * 1024);
  assert.equal(await ask(longest), "none");
  assert.equal(await ask(`${longest}a`), tooLong);
  assert.equal(await ask(await signed(key("ES256"), claims({ groups: Array(1000).fill("a-longer-group") }))), tooLong);
  const short = await startedKit([publishing()], { maxTokenLength: 10 });
  assert.equal(await short.ask(await signed(key("ES256"), claims())), tooLong);
});

test("claims are mapped as configured", async () => {
  const username = { claim: "email", prefix: "u:" };
  const mapped = configurationOf(url, {
    claimMappings: { username, groups: { claim: "roles", prefix: "g:" }, uid: "id" },
    claimValidationRules: [
      { claim: "hd", requiredValue: "example.com" },
      { claim: "__proto__", requiredValue: "" },
    ],
  });
  const { jwt } = await startedKit([publishing()], { configurations: [mapped] });
  const good = { email: "a@b", roles: ["x", "", "y"], id: "7", hd: "example.com" };
  const noUser = "deny oidc: claim email names no user";
  const noGroups = "deny oidc: claim roles is neither a text nor a list of texts";
  const rows: readonly (readonly [object, string])[] = [
    [{}, "allow u:a@b[g:x,g:y]"],
    [{ email: undefined }, noUser],
    [{ email: "" }, noUser],
    [{ email: null }, noUser],
    [{ email: ["a@b"] }, noUser],
    [{ email_verified: true }, "allow u:a@b[g:x,g:y]"],
    [{ email_verified: false }, "deny oidc: email not verified"],
    [{ email_verified: "true" }, "deny oidc: email not verified"],
    [{ email_verified: null }, "deny oidc: email not verified"],
    [{ roles: "one" }, "allow u:a@b[g:one]"],
    [{ roles: "" }, "allow u:a@b[]"],
    [{ roles: [] }, "allow u:a@b[]"],
    [{ roles: null }, "allow u:a@b[]"],
    [{ roles: undefined }, "allow u:a@b[]"],
    [
      { roles: undefined, _claim_names: { roles: "s" }, _claim_sources: { s: { endpoint: "https://evil" } } },
      "deny oidc: could not expand distributed claims: distributed claim roles: its endpoint gave no token",
    ],
    [{ roles: 7 }, noGroups],
    [{ roles: ["x", 7] }, noGroups],
    [{ roles: { x: true } }, noGroups],
    [{ id: 7 }, "deny oidc: claim id is no text"],
    [{ id: undefined }, "deny oidc: claim id is no text"],
    [{ hd: undefined }, "deny oidc: required claim hd not present in ID token"],
    [{ hd: "example.org" }, "deny oidc: required claim hd value does not match"],
    [{ hd: ["example.com"] }, "deny oidc: required claim hd value does not match"],
  ];
  for (const [given, expected] of rows) {
    const text = JSON.stringify(claims({ ...good, ...given })).replace("{", '{"__proto__":"",');
    const verdict = await jwt.authenticateToken(await signed(key("ES256"), text), ["api"]);
    assert.equal(shown(verdict), expected, JSON.stringify(given));
    if (verdict.outcome === "allow") assert.equal(verdict.user.uid, "7");
  }
  const without = await signed(key("ES256"), claims(good));
  const why = "oidc: required claim __proto__ not present in ID token";
  assert.deepEqual(await jwt.authenticateToken(without, ["api"]), { outcome: "deny", why });
});

test("an id that is no text is not told", async () => {
  const { jwt } = await startedKit([publishing()]);
  for (const jti of [7, "", null]) {
    const verdict = await jwt.authenticateToken(await signed(key("ES256"), claims({ jti })), ["api"]);
    assert.ok(verdict.outcome === "allow");
    assert.deepEqual(verdict.user.extra, {});
  }
});

test("keys that are for something else verify nothing", async () => {
  const { publicJwk } = key("ES256");
  const rsa = key("RS256").publicJwk;
  const rows: readonly (readonly [string, JWK, boolean])[] = [
    ["ES256", publicJwk, true],
    ["ES256", { ...publicJwk, use: "sig", alg: "ES256", key_ops: ["verify"] }, true],
    ["ES256", { ...publicJwk, use: "enc" }, false],
    ["ES256", { ...publicJwk, key_ops: ["sign"] }, false],
    ["ES256", { ...publicJwk, alg: "ES384" }, false],
    ["ES256", { ...publicJwk, alg: "ECDH-ES" }, false],
    ["ES256", { ...publicJwk, crv: "P-384" }, false],
    ["ES256", { ...publicJwk, crv: "secp256k1" }, false],
    ["ES256", { ...publicJwk, kty: "RSA" }, false],
    ["ES256", { ...publicJwk, kty: "oct" }, false],
    ["ES256", { ...publicJwk, y: publicJwk.x ?? "" }, false],
    ["ES256", { ...publicJwk, x: "" }, false],
    ["RS256", rsa, true],
    ["RS256", { ...rsa, alg: "PS256" }, false],
    ["RS256", { ...rsa, n: "AQAB" }, false],
    ["RS256", { ...rsa, n: "A".repeat(3_000) }, false],
    ["RS256", { ...rsa, e: "" }, false],
    ["RS256", { ...rsa, e: "AQABAQABAQAB" }, false],
  ];
  for (const [name, jwk, isGood] of rows) {
    const issuer = fakeIssuer(url);
    issuer.publish(jwk);
    const { ask } = await startedKit([issuer]);
    const answer = await ask(await signed(key(name), claims()));
    assert.equal(answer.startsWith("allow"), isGood, `${name} ${JSON.stringify(jwk)}`);
  }
});

test("a verdict is kept by the token's digest until it ends, and measured once", async () => {
  const { jwt, clock, told } = await startedKit([publishing()]);
  const ask = (token: string) => jwt.authenticateToken(token, ["api"]);
  const token = await signed(key("ES256"), claims({ exp: noonSeconds + 90 }));
  const hash = `sha256:${createHash("sha256").update(url).digest("hex")}`;
  assert.deepEqual(told, [`${url} ok`]);
  assert.equal(shown(await ask(token)), "allow alice[dev]");
  const again = ask(token);
  assert.ok(!(again instanceof Promise), "a known token is answered at once");
  assert.deepEqual(told, [`${url} ok`, `${hash} success 0`]);
  await clock.pass(90_000);
  assert.equal(shown(await ask(token)), "allow alice[dev]");
  await clock.pass(1);
  assert.equal(shown(await ask(token)), "deny oidc: the token is expired");
  assert.deepEqual(told.slice(2), [`${hash} failure 0`]);
});

test("a verdict is looked at again after two minutes", async () => {
  const { jwt, clock, told } = await startedKit([publishing()]);
  const token = await signed(key("ES256"), claims());
  for (const ms of [0, 120_000, 1]) {
    await clock.pass(ms);
    assert.equal(shown(await jwt.authenticateToken(token, ["api"])), "allow alice[dev]");
  }
  assert.equal(told.filter((line) => line.includes("success")).length, 2);
});

test("an issuer that leaves out its scheme is known by its name", async () => {
  const issuer = fakeIssuer("https://accounts.google.com");
  issuer.publish(key("ES256"));
  const { ask } = await startedKit([issuer, publishing()]);
  assert.equal(await ask(await signed(key("ES256"), claims({ iss: "accounts.google.com" }))), "allow alice[dev]");
  assert.equal(await ask(await signed(key("ES256"), claims({ iss: "issuer" }))), "none");
});

test("a key of one issuer vouches for no token of another", async () => {
  const [one, two] = [fakeIssuer("https://one"), fakeIssuer("https://two")];
  one.publish(key("ES256"));
  two.publish(key("stranger"));
  const { ask } = await startedKit([one, two]);
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["https://one", "ES256", true],
    ["https://two", "stranger", true],
    ["https://one", "stranger", false],
    ["https://two", "ES256", false],
  ];
  for (const [iss, name, isGood] of rows) {
    const answer = await ask(await signed(key(name), claims({ iss })));
    assert.equal(answer.startsWith("allow"), isGood, `${iss} ${name}`);
  }
});

test("reasons and measures tell nothing of a token", async () => {
  const { ask, told } = await startedKit([publishing()]);
  const secret = "s3cret-value";
  const given = [{ aud: secret }, { sub: [secret] }, { groups: [secret, 1] }, { nbf: secret }, { exp: secret }];
  for (const each of given) {
    for (const name of ["ES256", "stranger"]) {
      const token = await signed(key(name), claims({ jti: secret, ...each }), name === "ES256" ? {} : { kid: secret });
      const answer = await ask(token);
      assert.match(answer, /^deny/);
      for (const text of [answer, ...told]) {
        for (const part of [secret, ...token.split(".")]) assert.ok(!text.includes(part), text);
      }
    }
  }
});
