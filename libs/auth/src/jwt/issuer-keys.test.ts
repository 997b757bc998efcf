import assert from "node:assert/strict";
import { before, test } from "node:test";
import { settled } from "@orch/status/testing/manual-clock.js";
import {
  configurationOf,
  type FakeIssuer,
  fakeIssuer,
  type SigningKey,
  signed,
  signingKey,
} from "./testing/fake-issuer.js";
import { noonSeconds, shown, startedKit } from "./testing/kit.js";

const url = "https://issuer";
const notInitialized = "deny oidc: authenticator not initialized";
const noKey = "deny oidc: no key of the issuer made the token's signature";
const allowed = "allow alice[]";

let first: SigningKey;
let second: SigningKey;
before(async () => {
  [first, second] = await Promise.all([signingKey("ES256", "1"), signingKey("ES256", "2")]);
});

let count = 0;
/** A token that nobody has seen before. */
const fresh = (key: SigningKey, iss = url): Promise<string> =>
  signed(key, { iss, aud: "orch", exp: noonSeconds + 86_400, sub: "alice", nonce: count++ });

function publishing(...keys: readonly SigningKey[]): FakeIssuer {
  const issuer = fakeIssuer(url);
  issuer.publish(...keys);
  return issuer;
}

test("keys are fetched at the start, from where the discovery document says", async () => {
  const issuer = publishing(first);
  const { ask, jwt } = await startedKit([issuer]);
  assert.deepEqual(
    issuer.requests.map((request) => request.url),
    [`${url}/.well-known/openid-configuration`, `${url}/keys`],
  );
  assert.equal(jwt.health(), undefined);
  assert.equal(await ask(await fresh(first)), allowed);
});

test("the address of discovery and the authority are those of the configuration", async () => {
  const issuer = fakeIssuer(url);
  issuer.documents.clear();
  issuer.documents.set("https://inside/discovery", { issuer: url, jwks_uri: "https://inside/keys" });
  issuer.documents.set("https://inside/keys", { keys: [first.publicJwk] });
  const discoveryURL = "https://inside/discovery";
  const inside = configurationOf(url, {
    issuer: { url, audiences: ["orch"], discoveryURL, certificateAuthority: "PEM" },
  });
  const { ask } = await startedKit([issuer], { configurations: [inside] });
  assert.equal(await ask(await fresh(first)), allowed);
  assert.deepEqual(issuer.requests, [
    { url: discoveryURL, ca: "PEM", timeoutMs: 10_000 },
    { url: "https://inside/keys", ca: "PEM", timeoutMs: 10_000 },
  ]);
});

test("an issuer's URL may end with a slash", async () => {
  const issuer = fakeIssuer(url);
  issuer.documents.set(`${url}/.well-known/openid-configuration`, { issuer: `${url}/`, jwks_uri: `${url}/keys` });
  issuer.publish(first);
  const { ask } = await startedKit([issuer], { configurations: [configurationOf(`${url}/`)] });
  assert.equal(await ask(await fresh(first, `${url}/`)), allowed);
});

test("what an issuer publishes is checked", async () => {
  const discovery = `${url}/.well-known/openid-configuration`;
  const keys = `${url}/keys`;
  const noURL = "the discovery document has no jwks_uri with https";
  const rows: readonly (readonly [string, unknown, string])[] = [
    [discovery, "<html>", "the discovery document is no object"],
    [discovery, null, "the discovery document is no object"],
    [discovery, [], "the discovery document is no object"],
    [discovery, {}, "the discovery document is of another issuer"],
    [discovery, { issuer: `${url}/`, jwks_uri: keys }, "the discovery document is of another issuer"],
    [discovery, { issuer: [url], jwks_uri: keys }, "the discovery document is of another issuer"],
    [discovery, { issuer: url }, noURL],
    [discovery, { issuer: url, jwks_uri: "http://issuer/keys" }, noURL],
    [discovery, { issuer: url, jwks_uri: "file:///etc/keys" }, noURL],
    [discovery, { issuer: url, jwks_uri: "/keys" }, noURL],
    [discovery, { issuer: url, jwks_uri: [keys] }, noURL],
    [keys, "junk", "the key set has no list of keys"],
    [keys, { keys: {} }, "the key set has no list of keys"],
    [keys, { keys: Array(257).fill({}) }, "the key set has more than 256 keys"],
    [keys, undefined, "connection refused"],
  ];
  for (const [address, document, problem] of rows) {
    const issuer = publishing(first);
    issuer.documents.set(address, document);
    const { ask, jwt, told } = await startedKit([issuer]);
    assert.equal(await ask(await fresh(first)), notInitialized);
    assert.deepEqual(told.slice(0, 1), [`${url} ${problem}`]);
    assert.equal(jwt.health(), `oidc: authenticator for issuer "${url}" is not healthy: ${problem}`);
  }
});

test("junk among the keys is passed over", async () => {
  const issuer = publishing(first);
  issuer.documents.set(`${url}/keys`, {
    keys: [null, 1, "key", [], {}, { kty: "RSA" }, { kty: "EC", crv: {} }, { kty: "oct", k: "AQAB" }, first.publicJwk],
  });
  const { ask } = await startedKit([issuer]);
  assert.equal(await ask(await fresh(first)), allowed);
});

test("an issuer that is away at the start is asked again after growing delays", async () => {
  const issuer = publishing(first);
  issuer.fault = "refuses";
  const { clock, jwt, ask } = await startedKit([issuer]);
  const before = jwt.health();
  assert.equal(before, `oidc: authenticator for issuer "${url}" is not healthy: connection refused`);
  const attempts: number[] = [issuer.requests.length];
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    await clock.pass(seconds * 1000 - 1);
    attempts.push(issuer.requests.length);
    await clock.pass(1);
    attempts.push(issuer.requests.length);
  }
  assert.deepEqual(attempts, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]);
  issuer.fault = "none";
  await clock.pass(30_000);
  assert.equal(jwt.health(), undefined);
  assert.equal(await ask(await fresh(first)), allowed);
});

test("a token has an issuer asked that was away, without waiting for it", async () => {
  const issuer = publishing(first);
  issuer.fault = "refuses";
  const { clock, ask } = await startedKit([issuer]);
  await clock.pass(1_000 + 2_000 + 4_000 + 8_000 + 16_000);
  issuer.fault = "none";
  assert.equal(await ask(await fresh(first)), notInitialized);
  await settled();
  assert.equal(await ask(await fresh(first)), allowed);
});

test("a token with an unknown key brings the new keys, and the old ones no longer count", async () => {
  const issuer = publishing(first);
  const { ask } = await startedKit([issuer]);
  const old = await fresh(first);
  assert.equal(await ask(old), allowed);
  issuer.publish(second);
  assert.equal(await ask(old), allowed, "nobody knows yet");
  assert.equal(await ask(await fresh(second)), allowed);
  assert.equal(await ask(old), noKey, "a kept verdict ends with the keys that it came from");
});

test("a new key by an old name is found as well", async () => {
  const issuer = publishing(first);
  const { ask } = await startedKit([issuer]);
  issuer.documents.set(`${url}/keys`, { keys: [{ ...second.publicJwk, kid: "1" }] });
  const token = await signed(second, { iss: url, aud: "orch", exp: noonSeconds + 60, sub: "alice" }, { kid: "1" });
  assert.equal(await ask(token), allowed);
});

test("wrong tokens do not flood the issuer", async () => {
  const issuer = publishing(first);
  const { ask, clock } = await startedKit([issuer]);
  const fetches = (): number => issuer.requests.length / 2;
  const wrong = await Promise.all(Array.from({ length: 50 }, () => fresh(second)));
  assert.deepEqual(new Set(await Promise.all(wrong.map(ask))), new Set([noKey]));
  assert.equal(fetches(), 2, "one at the start, one for all of them");
  for (const token of wrong) assert.equal(await ask(token), noKey);
  await clock.pass(9_999);
  assert.equal(await ask(await fresh(second)), noKey);
  assert.equal(fetches(), 2);
  await clock.pass(1);
  assert.equal(await ask(await fresh(second)), noKey);
  assert.equal(fetches(), 3);
});

test("tokens that fail before their signature have nobody asked", async () => {
  const issuer = publishing(first);
  const { ask } = await startedKit([issuer]);
  const expired = await signed(second, { iss: url, aud: "orch", exp: noonSeconds - 1, sub: "alice" });
  assert.equal(await ask(expired), "deny oidc: the token is expired");
  assert.equal(issuer.requests.length, 2);
});

test("keys that were taken back are forgotten within five minutes", async () => {
  const issuer = publishing(first, second);
  const { ask, clock } = await startedKit([issuer]);
  issuer.publish(first);
  await clock.pass(5 * 60_000);
  assert.equal(await ask(await fresh(second)), noKey);
  assert.equal(await ask(await fresh(first)), allowed);
});

test("the same keys fetched again keep the verdicts", async () => {
  const issuer = publishing(first);
  const { jwt, clock } = await startedKit([issuer]);
  await clock.pass(4 * 60_000);
  const token = await fresh(first);
  assert.equal(shown(await jwt.authenticateToken(token, ["api"])), allowed);
  await clock.pass(61_000);
  assert.equal(issuer.requests.length, 4);
  assert.ok(!(jwt.authenticateToken(token, ["api"]) instanceof Promise));
});

test("known keys outlast an outage", async () => {
  const issuer = publishing(first);
  const { ask, clock, jwt, told } = await startedKit([issuer]);
  issuer.fault = "refuses";
  await clock.pass(3_600_000);
  assert.equal(await ask(await fresh(first)), allowed);
  assert.equal(await ask(await fresh(second)), noKey);
  assert.equal(jwt.health(), undefined);
  assert.ok(told.includes(`${url} connection refused`));
  issuer.publish(second);
  issuer.fault = "none";
  await clock.pass(30_000);
  assert.equal(await ask(await fresh(second)), allowed);
});

test("a slow issuer keeps nobody waiting but those whose key it alone knows", async () => {
  const slow = publishing(first);
  const other = fakeIssuer("https://other");
  other.publish(first);
  const { ask, clock } = await startedKit([slow, other]);
  slow.fault = "silent";
  let answer = "";
  const waiting = ask(await fresh(second)).then((verdict) => {
    answer = verdict;
  });
  await settled();
  assert.equal(await ask(await fresh(first)), allowed);
  assert.equal(await ask(await fresh(first, "https://other")), allowed);
  assert.equal(answer, "");
  await clock.pass(11_000);
  await waiting;
  assert.equal(answer, noKey);
});

test("an issuer that never answers at the start holds up no start and no token", async () => {
  const issuer = publishing(first);
  issuer.fault = "silent";
  const { ask, clock, jwt } = await startedKit([issuer]);
  assert.equal(await ask(await fresh(first)), notInitialized);
  assert.match(jwt.health() ?? "", /not fetched yet$/);
  await clock.pass(11_000);
  assert.match(jwt.health() ?? "", /no answer in time$/);
  issuer.fault = "none";
  await clock.pass(1_000);
  assert.equal(await ask(await fresh(first)), allowed);
});

test("once stopped nothing is fetched, and what is known counts", async () => {
  const issuer = publishing(first);
  const { ask, clock, jwt } = await startedKit([issuer]);
  jwt.stop();
  assert.equal(clock.waiting(), 0);
  issuer.publish(second);
  assert.equal(await ask(await fresh(second)), noKey);
  assert.equal(await ask(await fresh(first)), allowed);
  assert.equal(issuer.requests.length, 2);
});

test("a stop during a fetch leaves no timer behind", async () => {
  const issuer = publishing(first);
  issuer.fault = "silent";
  const { clock, jwt, told } = await startedKit([issuer]);
  jwt.stop();
  await clock.pass(11_000);
  assert.equal(clock.waiting(), 0);
  assert.deepEqual(told, []);
});

test("a long failure is told in few words", async () => {
  const issuer = publishing(first);
  issuer.documents.clear();
  const { told } = await startedKit([{ ...issuer, fetchJson: () => Promise.reject(new Error("x".repeat(10_000))) }]);
  assert.deepEqual(told, [`${url} ${"x".repeat(500)}`]);
});
