import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { type JwtConfiguration, parseAuthenticationConfiguration } from "./authentication-config.js";
import { fakeIssuer, type SigningKey, signed, signingKey } from "./testing/fake-issuer.js";
import { noonSeconds, shown, startedKit } from "./testing/kit.js";

const url = "https://issuer";
let key: SigningKey;

before(async () => {
  key = await signingKey("ES256", "k");
});

const good = { iss: url, aud: "orch", exp: noonSeconds + 3600, sub: "alice", hd: "example.com" };

interface Parts {
  readonly username?: string;
  readonly groups?: string;
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, string>>;
  readonly claimRules?: readonly { readonly expression: string; readonly message?: string }[];
  readonly userRules?: readonly { readonly expression: string; readonly message?: string }[];
}

/** A configuration as a file has it. */
async function configured(parts: Parts): Promise<readonly JwtConfiguration[]> {
  const { username = "claims.sub", groups, uid, extra = {}, claimRules = [], userRules = [] } = parts;
  const parsed = await parseAuthenticationConfiguration(
    {
      apiVersion: "apiserver.config.k8s.io/v1beta1",
      kind: "AuthenticationConfiguration",
      jwt: [
        {
          issuer: { url, audiences: ["orch"] },
          claimValidationRules: claimRules,
          claimMappings: {
            username: { expression: username },
            ...(groups === undefined ? {} : { groups: { expression: groups } }),
            ...(uid === undefined ? {} : { uid: { expression: uid } }),
            extra: Object.entries(extra).map(([name, valueExpression]) => ({ key: name, valueExpression })),
          },
          userValidationRules: userRules,
        },
      ],
    },
    { naming: createNaming("kubernetes"), serviceAccountIssuers: [] },
  );
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.value.jwt;
}

/** Who a token is: `alice/uid[groups]{extra}`, or why it is refused. */
async function asked(parts: Parts, claims: object): Promise<string> {
  const issuer = fakeIssuer(url);
  issuer.publish(key);
  const { jwt } = await startedKit([issuer], { configurations: await configured(parts) });
  const verdict = await jwt.authenticateToken(await signed(key, { ...good, ...claims }), ["api"]);
  jwt.stop();
  if (verdict.outcome !== "allow") return shown(verdict).replace("deny oidc: ", "");
  const { uid, extra } = verdict.user;
  return `${shown(verdict).replace("allow ", "")}${uid === "" ? "" : ` uid ${uid}`}${Object.keys(extra).length === 0 ? "" : ` ${JSON.stringify(extra)}`}`;
}

const evaluating = (what: string): string => `error evaluating ${what} claim expression: `;

const rows: readonly (readonly [Parts, object, string])[] = [
  // Names are single texts.
  [{ username: "'oidc:' + claims.sub" }, {}, "oidc:alice[]"],
  [{ username: "claims.user.name" }, { user: { name: "bob" } }, "bob[]"],
  [{ username: "''" }, {}, "empty username via CEL expression is not allowed"],
  [{ username: "claims.n" }, { n: 1 }, `${evaluating("username")}username claim expression must return a string`],
  [{ username: "claims.n" }, { n: ["a"] }, `${evaluating("username")}username claim expression must return a string`],
  [{ username: "claims.n" }, {}, `${evaluating("username")}expression 'claims.n' resulted in error: no such key: n`],
  [{ uid: "string(claims.n)" }, { n: 7 }, "alice[] uid 7"],
  [{ uid: "claims.n" }, { n: 7 }, `${evaluating("uid")}uid claim expression must return a string`],
  // Groups are a text, a list of texts or nothing.
  [{ groups: "claims.g" }, { g: ["a", "", "b"] }, "alice[a,b]"],
  [{ groups: "claims.g" }, { g: "a" }, "alice[a]"],
  [{ groups: "claims.g" }, { g: "" }, "alice[]"],
  [{ groups: "claims.g" }, { g: null }, "alice[]"],
  [{ groups: "claims.g.split(',')" }, { g: "a,b" }, "alice[a,b]"],
  [{ groups: "['a', string(claims.sub)]" }, {}, "alice[a,alice]"],
  [{ groups: "claims.g" }, { g: 7 }, `${evaluating("group")}expected a string or a list of strings, got int`],
  [
    { groups: "claims.g" },
    { g: ["a", 7] },
    `${evaluating("group")}expected a string or a list of strings, got list with int`,
  ],
  [{ groups: "claims.g" }, { g: {} }, `${evaluating("group")}expected a string or a list of strings, got map`],
  [{ groups: "claims.g" }, {}, `${evaluating("group")}expression 'claims.g' resulted in error: no such key: g`],
  [{ groups: "claims.?g.orValue('none')" }, {}, "alice[none]"],
  // A key without values is none.
  [
    { extra: { "example.com/tenant": "claims.t", "example.com/empty": "''", "example.com/null": "claims.n" } },
    { t: ["x", "", "y"], n: null },
    'alice[] {"example.com/tenant":["x","y"]}',
  ],
  [
    { extra: { "example.com/tenant": "claims.t" } },
    { t: "x", jti: "1" },
    'alice[] {"authentication.kubernetes.io/credential-id":["JTI=1"],"example.com/tenant":["x"]}',
  ],
  [
    { extra: { "example.com/t": "claims.t" } },
    { t: true },
    `${evaluating("extra")}expected a string or a list of strings, got bool`,
  ],
  // Rules.
  [{ claimRules: [{ expression: "claims.hd == 'example.com'" }] }, {}, "alice[]"],
  [
    { claimRules: [{ expression: "claims.exp - claims.nbf <= 3600", message: "lives too long" }] },
    { nbf: noonSeconds - 1 },
    "validation expression 'claims.exp - claims.nbf <= 3600' failed: lives too long",
  ],
  [
    { claimRules: [{ expression: "claims.hd == 'a'", message: "m" }] },
    { hd: undefined },
    "expression 'claims.hd == 'a'' resulted in error: no such key: hd",
  ],
  [
    { claimRules: [{ expression: "claims.sub + 1 == 2" }] },
    {},
    "expression 'claims.sub + 1 == 2' resulted in error: no such overload",
  ],
  [{ userRules: [{ expression: "user.username == 'alice' && !has(user.uid) && !has(user.groups)" }] }, {}, "alice[]"],
  [
    { groups: "claims.g", userRules: [{ expression: "user.groups.all(g, g != 'system:authenticated')" }] },
    { g: "x" },
    "alice[x]",
  ],
  [
    {
      groups: "claims.g",
      userRules: [{ expression: "user.groups.all(g, !g.startsWith('system:'))", message: "reserved group" }],
    },
    { g: ["x", "system:masters"] },
    "validation expression 'user.groups.all(g, !g.startsWith('system:'))' failed: reserved group",
  ],
  [
    { extra: { "a.b/c": "claims.t" }, userRules: [{ expression: "user.extra['a.b/c'] == ['x']" }] },
    { t: "x" },
    'alice[] {"a.b/c":["x"]}',
  ],
  // A name of the prototype is a claim as any.
  [
    { username: "claims.constructor" },
    {},
    `${evaluating("username")}expression 'claims.constructor' resulted in error: no such key: constructor`,
  ],
];

for (const [parts, claims, expected] of rows) {
  test(`${JSON.stringify(parts)} of ${JSON.stringify(claims)}: ${expected}`, async () => {
    assert.equal(await asked(parts, claims), expected);
  });
}

test("an expression that costs too much refuses the token", async () => {
  const g = Array.from({ length: 400 }, (_, i) => `g${i}`);
  const many =
    "claims.?g.orValue(dyn([])).all(a, dyn(claims.g).all(b, dyn(claims.g).all(c, a != b || b != c || true)))";
  const found = await asked({ claimRules: [{ expression: `${many} == true` }] }, { g });
  assert.match(found, /resulted in error: operation cancelled: actual cost limit exceeded$/);
});
