import assert from "node:assert/strict";
import { before, test } from "node:test";
import { settled } from "@orch/status/testing/manual-clock.js";
import type { TextRequest } from "./distributed-claims.js";
import { configurationOf, fakeIssuer, type SigningKey, signed, signingKey } from "./testing/fake-issuer.js";
import { noonSeconds, startedKit } from "./testing/kit.js";

const url = "https://issuer";
const other = "https://claims.example.com";
const endpoint = "https://source/groups";
let key: SigningKey;
let otherKey: SigningKey;

before(async () => {
  [key, otherKey] = await Promise.all([signingKey("ES256", "own"), signingKey("ES256", "other")]);
});

const base = { iss: url, aud: "orch", exp: noonSeconds + 3600, sub: "alice" };
/** A token whose groups are elsewhere. */
const elsewhere = (rest: object = {}, source: object = { endpoint, access_token: "t0ken" }): object => ({
  ...base,
  _claim_names: { groups: "src" },
  _claim_sources: { src: source },
  ...rest,
});

type Source = string | Error | "never";

async function kitOf(source: () => Source | Promise<Source>) {
  const issuer = fakeIssuer(url);
  issuer.publish(key);
  const stranger = fakeIssuer(other);
  stranger.publish(otherKey);
  const requests: TextRequest[] = [];
  const configuration = configurationOf(url, { issuer: { url, audiences: ["orch"], certificateAuthority: "PEM" } });
  const kit = await startedKit([issuer, stranger], {
    configurations: [configuration],
    fetchText: async (request) => {
      requests.push(request);
      const answer = await source();
      if (answer instanceof Error) throw answer;
      return answer === "never" ? await new Promise(() => {}) : answer;
    },
  });
  const ask = async (claims: object): Promise<string> => kit.ask(await signed(key, claims));
  return { ...kit, issuer, stranger, requests, ask };
}

test("groups are had from their source, with its token and the issuer's authority", async () => {
  const { ask, requests } = await kitOf(() => signed(key, { ...base, groups: ["dev", "ops"] }));
  assert.equal(await ask(elsewhere()), "allow alice[dev,ops]");
  assert.deepEqual(requests, [{ url: endpoint, timeoutMs: 10_000, ca: "PEM", authorization: "Bearer t0ken" }]);
});

test("a source may be of an issuer of its own, whose keys are fetched then", async () => {
  const { ask, stranger } = await kitOf(() => signed(otherKey, { ...base, iss: other, groups: "dev" }));
  assert.equal(await ask(elsewhere()), "allow alice[dev]");
  assert.equal(stranger.requests[0]?.ca, "PEM");
  const fetches = stranger.requests.length;
  assert.equal(await ask(elsewhere({ jti: "2" })), "allow alice[dev]");
  assert.equal(stranger.requests.length, fetches, "its keys are remembered");
});

const unresolved = "could not expand distributed claims: ";
const notAsked: readonly (readonly [string, object, string])[] = [
  ["the claim is there too", elsewhere({ groups: ["here"] }), "allow alice[here]"],
  ["another claim is elsewhere", { ...elsewhere(), _claim_names: { roles: "src" } }, "allow alice[]"],
  ["there are no names", { ...base, _claim_sources: { src: { endpoint } } }, "allow alice[]"],
  ["the claims stand in the token", elsewhere({}, { JWT: "a.b.c" }), "allow alice[]"],
  ["names are no map", elsewhere({ _claim_names: "src" }), `${unresolved}error parsing distributed claim names`],
  ["there are no sources", elsewhere({ _claim_sources: undefined }), `${unresolved}no claim sources`],
  ["sources are no map", elsewhere({ _claim_sources: [] }), `${unresolved}could not parse claim sources`],
  [
    "the source is absent",
    elsewhere({ _claim_sources: {} }),
    `${unresolved}the token names a source of claims that it does not have`,
  ],
  ["the endpoint is no text", elsewhere({}, { endpoint: 1 }), `${unresolved}could not parse claim sources`],
  [
    "the endpoint is not https",
    elsewhere({}, { endpoint: "http://source" }),
    `${unresolved}the endpoint of a distributed claim has no https address`,
  ],
  [
    "the endpoint is no address",
    elsewhere({}, { endpoint: "source" }),
    `${unresolved}the endpoint of a distributed claim has no https address`,
  ],
];
for (const [name, claims, expected] of notAsked) {
  test(`no source is asked where ${name}`, async () => {
    const { ask, requests } = await kitOf(() => "never");
    assert.equal(await ask(claims), expected.startsWith("allow") ? expected : `deny oidc: ${expected}`);
    assert.deepEqual(requests, []);
  });
}

test("what a source answers is believed from an issuer alone, in its time and for this server", async () => {
  const answers: readonly (readonly [string, () => Source | Promise<Source>, string])[] = [
    ["no answer", () => new Error("s3cret"), "its endpoint gave no token"],
    ["no token", () => "hello", "its endpoint gave no token"],
    [
      "another key",
      () => signed(otherKey, { ...base, groups: "a" }),
      "of its endpoint, no key of the issuer made the token's signature",
    ],
    [
      "another audience",
      () => signed(key, { ...base, aud: "x", groups: "a" }),
      "of its endpoint, the token is for other audiences",
    ],
    ["expired", () => signed(key, { ...base, exp: 1, groups: "a" }), "of its endpoint, the token is expired"],
    [
      "no issuer",
      () => signed(key, { ...base, iss: undefined, groups: "a" }),
      "the token of its endpoint has no issuer with an https address",
    ],
    [
      "an unknown issuer",
      () => signed(key, { ...base, iss: "https://nowhere", groups: "a" }),
      "of its endpoint, authenticator not initialized",
    ],
    [
      "an issuer of http",
      () => signed(key, { ...base, iss: "http://issuer", groups: "a" }),
      "the token of its endpoint has no issuer with an https address",
    ],
    ["another claim", () => signed(key, { ...base, roles: "a" }), "the token of its endpoint does not have it"],
  ];
  for (const [name, answer, why] of answers) {
    const { ask, jwt } = await kitOf(answer);
    assert.equal(await ask(elsewhere()), `deny oidc: ${unresolved}distributed claim groups: ${why}`, name);
    jwt.stop();
  }
  const { ask } = await kitOf(() => signed(key, { ...base, groups: 7 }));
  assert.equal(await ask(elsewhere()), "deny oidc: claim groups is neither a text nor a list of texts");
});

test("a source that hangs costs ten seconds, and is asked once for all who wait", async () => {
  const { jwt, clock, requests } = await kitOf(() => "never");
  const token = await signed(key, elsewhere());
  const both = Promise.all([jwt.authenticateToken(token, ["api"]), jwt.authenticateToken(token, ["api"])]);
  for (let i = 0; i < 50 && requests.length === 0; i++) await new Promise((resolve) => setImmediate(resolve));
  await settled();
  clock.advance(10_000);
  const why = `oidc: ${unresolved}distributed claim groups: its endpoint gave no token`;
  assert.deepEqual(await both, [
    { outcome: "deny", why },
    { outcome: "deny", why },
  ]);
  assert.equal(requests.length, 1);
});
