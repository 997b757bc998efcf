import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Verdict } from "@orch/auth/authenticator.js";
import { parseAuthenticationConfiguration } from "@orch/auth/jwt/authentication-config.js";
import { createJwtAuthenticator, type JwtAuthenticator } from "@orch/auth/jwt/jwt-authenticator.js";
import { oidcConfiguration } from "@orch/auth/jwt/oidc-flags.js";
import { createNaming } from "@orch/naming/naming.js";
import { fetchJsonOverHttps, fetchTextOverHttps, type OidcProvider, startOidcProvider } from "./harness/oidc.js";
import { until } from "./harness/until.js";

const naming = createNaming("kubernetes");
const deps = { naming, serviceAccountIssuers: [] };
type Parsed = Awaited<ReturnType<typeof parseAuthenticationConfiguration>> | ReturnType<typeof oidcConfiguration>;

let provider: OidcProvider;
const running: JwtAuthenticator[] = [];
/** Ahead of the machine's clock, so that nothing waits for a token to expire. */
let aheadMs = 0;

before(async () => {
  provider = await startOidcProvider({ audience: "orch", algorithm: "RS256" });
});
after(async () => {
  for (const each of running) each.stop();
  await provider.stop();
});

function started(parsed: Parsed): JwtAuthenticator {
  assert.ok(parsed.ok && parsed.value !== undefined, JSON.stringify(parsed));
  const authenticator = createJwtAuthenticator(parsed.value, {
    naming,
    apiAudiences: ["api"],
    now: () => Date.now() + aheadMs,
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    fetchJson: fetchJsonOverHttps,
    fetchText: fetchTextOverHttps,
    observer: { authenticated: () => undefined, fetched: () => undefined },
  });
  running.push(authenticator);
  authenticator.start();
  return authenticator;
}

const file = (issuer: object = {}): Promise<Parsed> =>
  parseAuthenticationConfiguration(
    {
      apiVersion: "apiserver.config.k8s.io/v1beta1",
      kind: "AuthenticationConfiguration",
      jwt: [
        {
          issuer: {
            url: provider.url,
            certificateAuthority: provider.authority,
            audiences: ["orch", "other"],
            audienceMatchPolicy: "MatchAny",
            ...issuer,
          },
          claimValidationRules: [{ claim: "hd", requiredValue: "example.com" }],
          claimMappings: {
            username: { claim: "preferred_username", prefix: "oidc:" },
            groups: { claim: "groups", prefix: "oidc:" },
            uid: { claim: "sub" },
          },
        },
      ],
    },
    deps,
  );

const shown = (verdict: Verdict): string => {
  if (verdict.outcome === "none") return "none";
  return verdict.outcome === "deny" ? verdict.why : `${verdict.user.name} ${verdict.user.groups.join(",")}`;
};

const ask = async (authenticator: JwtAuthenticator, token: string): Promise<string> =>
  shown(await authenticator.authenticateToken(token, ["api"]));

const healthy = (authenticator: JwtAuthenticator): Promise<unknown> =>
  until("the issuer is reached", () => (authenticator.health() === undefined ? true : undefined));

const failsWith = (authenticator: JwtAuthenticator, problem: string): Promise<unknown> =>
  until(`the fetch fails: ${problem}`, () => (authenticator.health()?.includes(problem) ? true : undefined));

const alice = { preferred_username: "alice", groups: ["dev", "ops"], hd: "example.com" };
const aliceShown = "oidc:alice oidc:dev,oidc:ops,system:authenticated";

test("tokens of a real provider are users", async () => {
  const authenticator = started(await file());
  await healthy(authenticator);
  const token = await provider.token(alice);
  const verdict = await authenticator.authenticateToken(token, ["api"]);
  assert.equal(shown(verdict), aliceShown);
  assert.ok(verdict.outcome === "allow");
  assert.equal(verdict.user.uid, "test-client");
  assert.match(verdict.user.extra["authentication.kubernetes.io/credential-id"]?.[0] ?? "", /^JTI=.+/);
  assert.deepEqual(verdict.audiences, ["api"]);

  const foreign = await provider.token({ ...alice, hd: "example.org" });
  assert.equal(await ask(authenticator, foreign), "oidc: required claim hd value does not match");
  const nobody = await provider.token({ hd: "example.com" });
  assert.equal(await ask(authenticator, nobody), "oidc: claim preferred_username names no user");
  aheadMs = 3600_000;
  assert.equal(await ask(authenticator, token), "oidc: the token is expired");
  aheadMs = 0;
});

test("flags do as well as a file", async () => {
  const flags = { issuerURL: provider.url, clientID: "orch", certificateAuthority: provider.authority };
  const authenticator = started(oidcConfiguration(flags, deps));
  await healthy(authenticator);
  assert.equal(
    await ask(authenticator, await provider.token(alice)),
    `${provider.url}#test-client system:authenticated`,
  );
  const other = started(oidcConfiguration({ ...flags, clientID: "somebody-else" }, deps));
  await healthy(other);
  assert.equal(await ask(other, await provider.token(alice)), "oidc: the token is for other audiences");
  const wrongAlgorithm = started(oidcConfiguration({ ...flags, signingAlgs: ["ES256"] }, deps));
  await healthy(wrongAlgorithm);
  assert.equal(
    await ask(wrongAlgorithm, await provider.token(alice)),
    "oidc: the token is signed with an algorithm that is not allowed",
  );
});

/** An authenticator of the provider's tokens whose mappings and rules are these. */
async function mapping(jwt: object): Promise<JwtAuthenticator> {
  const issuer = { url: provider.url, certificateAuthority: provider.authority, audiences: ["orch"] };
  const tree = { apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "AuthenticationConfiguration" };
  const authenticator = started(await parseAuthenticationConfiguration({ ...tree, jwt: [{ issuer, ...jwt }] }, deps));
  await healthy(authenticator);
  return authenticator;
}

test("expressions map a provider's claims and judge them", async () => {
  const authenticator = await mapping({
    claimValidationRules: [{ expression: "claims.exp - claims.iat <= 3600", message: "too long" }],
    claimMappings: {
      username: { expression: "claims.preferred_username + '@' + claims.hd" },
      groups: { expression: "claims.groups" },
      extra: [{ key: "example.com/client", valueExpression: "claims.client_id" }],
    },
    userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: "reserved" }],
  });
  const verdict = await authenticator.authenticateToken(await provider.token(alice), ["api"]);
  assert.equal(shown(verdict), "alice@example.com dev,ops,system:authenticated");
  assert.ok(verdict.outcome === "allow");
  assert.deepEqual(verdict.user.extra["example.com/client"], ["test-client"]);
  const system = await provider.token({ ...alice, preferred_username: "system:admin" });
  assert.match(await ask(authenticator, system), /^oidc: validation expression '.*' failed: reserved$/);
});

test("groups that the provider keeps elsewhere are fetched from there", async () => {
  const authenticator = await mapping({
    claimMappings: { username: { claim: "sub", prefix: "" }, groups: { claim: "groups", prefix: "" } },
  });
  provider.serve("/groups", { text: await provider.token({ groups: ["far"] }), accessToken: "a" });
  const elsewhere = (access_token: string): object => ({
    _claim_names: { groups: "src" },
    _claim_sources: { src: { endpoint: `${provider.url}/groups`, access_token } },
  });
  assert.equal(await ask(authenticator, await provider.token(elsewhere("a"))), "test-client far,system:authenticated");
  assert.match(await ask(authenticator, await provider.token(elsewhere("b"))), /its endpoint gave no token$/);
});

test("discovery may be told to be elsewhere", async () => {
  const discoveryURL = provider.url.replace("127.0.0.1", "localhost");
  const elsewhere = `${discoveryURL}/.well-known/openid-configuration`;
  const wrongName = started(await file({ discoveryURL: elsewhere }));
  await failsWith(wrongName, "altnames");
  const samePlace = started(await file({ discoveryURL: `${provider.url}/.well-known/openid-configuration` }));
  await healthy(samePlace);
  assert.equal(await ask(samePlace, await provider.token(alice)), aliceShown);
});

test("a provider whose certificate nobody vouches for is not believed", async () => {
  const authenticator = started(await file({ certificateAuthority: null }));
  await failsWith(authenticator, "certificate");
  assert.equal(await ask(authenticator, await provider.token(alice)), "oidc: authenticator not initialized");
});

test("a provider may go away and come back with other keys", async () => {
  const authenticator = started(await file());
  await healthy(authenticator);
  const [old, second] = [await provider.token(alice), await provider.token(alice)];
  assert.equal(await ask(authenticator, old), aliceShown);
  await provider.stop();
  assert.equal(await ask(authenticator, second), aliceShown, "its keys are known");
  const lateComer = started(await file());
  await failsWith(lateComer, "ECONNREFUSED");
  assert.equal(await ask(lateComer, old), "oidc: authenticator not initialized");

  await provider.restartWithNewKey();
  const fresh = await provider.token(alice);
  assert.equal(await ask(authenticator, fresh), aliceShown);
  assert.equal(await ask(authenticator, old), "oidc: no key of the issuer made the token's signature");
  await healthy(lateComer);
  assert.equal(await ask(lateComer, fresh), aliceShown);
});

test("elliptic curves serve as well", async () => {
  const other = await startOidcProvider({ audience: "orch", algorithm: "ES256" });
  try {
    const authenticator = started(await file({ url: other.url, certificateAuthority: other.authority }));
    await healthy(authenticator);
    assert.equal(await ask(authenticator, await other.token(alice)), aliceShown);
    const stranger = await provider.token(alice);
    assert.equal(await ask(authenticator, stranger), "none");
  } finally {
    await other.stop();
  }
});
