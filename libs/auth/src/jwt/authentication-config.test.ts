import assert from "node:assert/strict";
import { test } from "node:test";
import { authorityCertificate as certificate } from "@orch/api/testing/certificates.js";
import { createNaming } from "@orch/naming/naming.js";
import { parseAuthenticationConfiguration } from "./authentication-config.js";
import { signingAlgorithms } from "./signing-algorithms.js";

const naming = createNaming("kubernetes");
const deps = { naming, serviceAccountIssuers: ["https://own", "https://also.own"] };
const url = "https://issuer.example.com";

type Tree = Record<string, unknown>;

const file = (...jwt: unknown[]): Tree => ({
  apiVersion: "apiserver.config.k8s.io/v1beta1",
  kind: "AuthenticationConfiguration",
  jwt,
});

/** A good authenticator with some of its parts replaced. */
function authenticator({ issuer, mappings, ...rest }: { issuer?: Tree; mappings?: Tree } & Tree = {}): Tree {
  return {
    issuer: { url, audiences: ["orch"], ...issuer },
    claimMappings: { username: { claim: "sub", prefix: "" }, ...mappings },
    ...rest,
  };
}

function problemsOf(tree: unknown): readonly string[] {
  const parsed = parseAuthenticationConfiguration(tree, deps);
  return parsed.ok ? [] : parsed.problems;
}

test("a whole configuration is read", () => {
  const parsed = parseAuthenticationConfiguration(
    {
      ...file(
        authenticator({
          issuer: {
            discoveryURL: "https://inside.example.com:8443/discovery",
            certificateAuthority: certificate,
            audiences: ["a", "b"],
            audienceMatchPolicy: "MatchAny",
          },
          claimValidationRules: [{ claim: "hd", requiredValue: "example.com" }, { claim: "empty" }],
          mappings: {
            username: { claim: "email", prefix: "oidc:" },
            groups: { claim: "groups", prefix: "oidc:" },
            uid: { claim: "sub" },
            extra: null,
          },
          userValidationRules: [],
        }),
        authenticator({ issuer: { url: `${url}/two`, audienceMatchPolicy: "MatchAny" } }),
      ),
      anonymous: { enabled: true, conditions: [{ path: "/livez" }, { path: "/readyz" }] },
    },
    deps,
  );
  assert.deepEqual(parsed, {
    ok: true,
    value: {
      signingAlgorithms,
      jwt: [
        {
          issuer: {
            url,
            discoveryURL: "https://inside.example.com:8443/discovery",
            certificateAuthority: certificate,
            audiences: ["a", "b"],
          },
          claimValidationRules: [
            { claim: "hd", requiredValue: "example.com" },
            { claim: "empty", requiredValue: "" },
          ],
          claimMappings: {
            username: { claim: "email", prefix: "oidc:" },
            groups: { claim: "groups", prefix: "oidc:" },
            uid: "sub",
          },
        },
        {
          issuer: { url: `${url}/two`, audiences: ["orch"] },
          claimValidationRules: [],
          claimMappings: { username: { claim: "sub", prefix: "" } },
        },
      ],
      anonymous: { enabled: true, conditions: [{ path: "/livez" }, { path: "/readyz" }] },
    },
  });
});

test("a configuration may leave out authenticators and anonymous requests", () => {
  for (const version of ["v1alpha1", "v1beta1", "v1"]) {
    const tree = { ...file(), apiVersion: `apiserver.config.k8s.io/${version}`, jwt: null, anonymous: null };
    const parsed = parseAuthenticationConfiguration(tree, deps);
    assert.deepEqual(parsed, { ok: true, value: { jwt: [], signingAlgorithms } }, version);
  }
  const disabled = parseAuthenticationConfiguration({ ...file(), anonymous: {} }, deps);
  assert.ok(disabled.ok);
  assert.deepEqual(disabled.value.anonymous, { enabled: false, conditions: [] });
});

test("what cannot be read is told by its place, and never by its value", () => {
  const versions = ["v1", "v1beta1", "v1alpha1"].map((each) => `"apiserver.config.k8s.io/${each}"`).join(", ");
  const rows: readonly (readonly [unknown, readonly string[]])[] = [
    [undefined, ["apiVersion: Required value", "kind: Required value"]],
    [[], ["apiVersion: Required value", "kind: Required value", "the file: must be an object"]],
    [
      { ...file(), apiVersion: "v1", kind: "Pod" },
      [
        `apiVersion: Unsupported value: "v1": supported values: ${versions}`,
        'kind: Unsupported value: "Pod": supported values: "AuthenticationConfiguration"',
      ],
    ],
    [{ ...file(), jwts: [] }, ['unknown field "jwts"']],
    [{ ...file(), jwt: {} }, ["jwt: must be a list"]],
    [file("s3cret"), ["jwt[0]: must be an object"]],
    [file(authenticator({ issuer: { caBundle: "s3cret" } })), ['unknown field "jwt[0].issuer.caBundle"']],
    [file(authenticator({ issuer: { url: ["s3cret"] } })), ["jwt[0].issuer.url: must be a string"]],
    [file(authenticator({ issuer: { audiences: ["a", 1] } })), ["jwt[0].issuer.audiences[1]: must be a string"]],
    [
      file(authenticator({ mappings: { username: { claim: 1, prefix: 2, x: 3 }, uid: { claim: true } } })),
      [
        'unknown field "jwt[0].claimMappings.username.x"',
        "jwt[0].claimMappings.username.claim: must be a string",
        "jwt[0].claimMappings.username.prefix: must be a string",
        "jwt[0].claimMappings.uid.claim: must be a string",
      ].toSorted(),
    ],
    [
      file(authenticator({ claimValidationRules: [{ claim: "a", value: "b" }] })),
      ['unknown field "jwt[0].claimValidationRules[0].value"'],
    ],
    [
      { ...file(), anonymous: { enabled: "yes", conditions: [{ paths: [] }, 1] } },
      [
        "anonymous.enabled: must be true or false",
        'unknown field "anonymous.conditions[0].paths"',
        "anonymous.conditions[1]: must be an object",
      ],
    ],
  ];
  for (const [tree, expected] of rows) {
    assert.deepEqual(problemsOf(tree).toSorted(), expected.toSorted(), JSON.stringify(tree));
  }
});

test("every issuer is checked", () => {
  const at = "jwt[0].issuer";
  const invalid = (value: string, why: string, field = "url"): string =>
    `${at}.${field}: Invalid value: ${JSON.stringify(value)}: ${why}`;
  const badURL = (value: string, ...why: readonly string[]): readonly [Tree, readonly string[]] => [
    { url: value },
    why.map((each) => invalid(value, each)),
  ];
  const notHTTPS = "URL scheme must be https";
  const rows: readonly (readonly [Tree, readonly string[]])[] = [
    [{ url: "" }, [`${at}.url: Required value: URL is required`]],
    [{ url: null }, [`${at}.url: Required value: URL is required`]],
    badURL("http://issuer", notHTTPS),
    badURL("issuer.example.com", notHTTPS),
    badURL("https://me:secret@issuer", "URL must not contain a username or password"),
    badURL("https://@issuer", "URL must not contain a username or password"),
    badURL("https://issuer/?a=b", "URL must not contain a query"),
    badURL("https://issuer/#a", "URL must not contain a fragment"),
    badURL(
      "http://u@issuer?q#f",
      notHTTPS,
      "URL must not contain a username or password",
      "URL must not contain a query",
      "URL must not contain a fragment",
    ),
    badURL("https://", "URL has no valid host"),
    badURL("https://[::1", "URL has no valid host"),
    badURL("https://issuer\n", "URL must not contain blanks or backslashes"),
    badURL("https:\\\\issuer", "URL must not contain blanks or backslashes"),
    badURL("https://own", "URL must not overlap with disallowed issuers: [https://also.own https://own]"),
    [{ url: "https://issuer?" }, []],
    [{ url: "HTTPS://issuer/path/" }, []],
    [{ discoveryURL: `${url}/` }, [invalid(`${url}/`, "discoveryURL must be different from URL", "discoveryURL")]],
    [{ discoveryURL: "http://x" }, [invalid("http://x", notHTTPS, "discoveryURL")]],
    [{ discoveryURL: "https://own" }, []],
    [{ audiences: null }, [`${at}.audiences: Required value: at least one ${at}.audiences is required`]],
    [
      { audiences: ["", "a", "a"], audienceMatchPolicy: "MatchAny" },
      [`${at}.audiences[0]: Required value: audience can't be empty`, `${at}.audiences[2]: Duplicate value: "a"`],
    ],
    [
      { audiences: ["a", "b"] },
      [invalid("", "audienceMatchPolicy must be MatchAny for multiple audiences", "audienceMatchPolicy")],
    ],
    [
      { audienceMatchPolicy: "MatchAll" },
      [invalid("MatchAll", "audienceMatchPolicy must be empty or MatchAny for single audience", "audienceMatchPolicy")],
    ],
    ...["s3cret", certificate.replace("M", "N"), certificate.replaceAll("CERTIFICATE", "PRIVATE KEY")].map(
      (certificateAuthority): readonly [Tree, readonly string[]] => [
        { certificateAuthority },
        [invalid("<omitted>", "data does not contain any valid RSA or ECDSA certificates", "certificateAuthority")],
      ],
    ),
    [{ certificateAuthority: `# ours\n${certificate}\n${certificate}` }, []],
  ];
  for (const [issuer, expected] of rows) {
    assert.deepEqual(problemsOf(file(authenticator({ issuer }))), expected, JSON.stringify(issuer));
  }
});

const noCEL = "Forbidden: expressions (CEL) are not available in this build";
const notBoth = "claim and expression can't both be set";

test("claims are checked, and expressions are not available", () => {
  const at = "jwt[0].claimMappings";
  const mappings = (given: Tree): Tree => authenticator({ mappings: given });
  const key = (given: string): Tree => mappings({ extra: [{ key: given, valueExpression: "claims.a" }] });
  const keyProblem = (given: string, why: string): string =>
    `${at}.extra[0].key: Invalid value: ${JSON.stringify(given)}: ${why}`;
  const noExtra = `${at}.extra[0].valueExpression: ${noCEL}`;
  const noPath = 'must be a domain-prefixed path (such as "acme.io/foo")';
  const rows: readonly (readonly [Tree, readonly string[]])[] = [
    [mappings({ username: null }), [`${at}.username: Required value: claim or expression is required`]],
    [
      mappings({ username: { claim: "sub" } }),
      [
        `${at}.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
      ],
    ],
    [mappings({ username: { expression: "claims.sub" } }), [`${at}.username.expression: ${noCEL}`]],
    [
      mappings({ username: { expression: "claims.sub", prefix: "p" } }),
      [
        `${at}.username.prefix: Invalid value: "p": prefix can't be set when expression is set`,
        `${at}.username.expression: ${noCEL}`,
      ],
    ],
    [
      mappings({ username: { claim: "sub", prefix: "", expression: "claims.sub" } }),
      [`${at}.username: Invalid value: "": ${notBoth}`, `${at}.username.expression: ${noCEL}`],
    ],
    [mappings({ groups: { prefix: "p" } }), []],
    [mappings({ groups: { expression: "claims.groups" } }), [`${at}.groups.expression: ${noCEL}`]],
    [
      mappings({ groups: { claim: "groups" } }),
      [
        `${at}.groups.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
      ],
    ],
    [mappings({ uid: { expression: "claims.sub" } }), [`${at}.uid.expression: ${noCEL}`]],
    [
      mappings({ uid: { claim: "sub", expression: "claims.sub" } }),
      [`${at}.uid: Invalid value: "": ${notBoth}`, `${at}.uid.expression: ${noCEL}`],
    ],
    [key("example.com/a"), [noExtra]],
    [
      mappings({ extra: [{}] }),
      [
        `${at}.extra[0].key: Required value`,
        `${at}.extra[0].valueExpression: Required value: valueExpression is required`,
      ],
    ],
    [key("foo"), [keyProblem("foo", noPath), noExtra]],
    [key("example.com/"), [keyProblem("example.com/", noPath), noExtra]],
    [key("exa_mple.com/a"), [keyProblem("exa_mple.com/a", noPath), noExtra]],
    [key("example.com/A"), [keyProblem("example.com/A", "key must be lowercase"), noExtra]],
    ...["k8s.io/a", "x.kubernetes.io/a"].map((each): readonly [Tree, readonly string[]] => [
      key(each),
      [keyProblem(each, "k8s.io, kubernetes.io and their subdomains are reserved"), noExtra],
    ]),
    [
      mappings({
        extra: [
          { key: "a.io/b", valueExpression: "x" },
          { key: "a.io/b", valueExpression: "x" },
        ],
      }),
      [noExtra, `${at}.extra[1].key: Duplicate value: "a.io/b"`, `${at}.extra[1].valueExpression: ${noCEL}`],
    ],
  ];
  for (const [jwt, expected] of rows) assert.deepEqual(problemsOf(file(jwt)), expected, JSON.stringify(jwt));
});

test("rules are checked", () => {
  const at = "jwt[0].claimValidationRules";
  const rules = (...claimValidationRules: Tree[]): Tree => authenticator({ claimValidationRules });
  const userRules = (...userValidationRules: Tree[]): Tree => authenticator({ userValidationRules });
  const rows: readonly (readonly [Tree, readonly string[]])[] = [
    [rules({ requiredValue: "x" }), [`${at}[0]: Required value: claim or expression is required`]],
    [
      rules({ claim: "a", message: "m" }),
      [`${at}[0].message: Invalid value: "m": message can't be set when claim is set`],
    ],
    [rules({ claim: "a" }, { claim: "a", requiredValue: "x" }), [`${at}[1].claim: Duplicate value: "a"`]],
    [
      rules({ claim: "a", expression: "x" }),
      [`${at}[0]: Invalid value: "a": ${notBoth}`, `${at}[0].expression: ${noCEL}`],
    ],
    [
      rules({ expression: "x", requiredValue: "y", message: "m" }, { expression: "x" }),
      [
        `${at}[0].requiredValue: Invalid value: "y": requiredValue can't be set when expression is set`,
        `${at}[0].expression: ${noCEL}`,
        `${at}[1].expression: Duplicate value: "x"`,
        `${at}[1].expression: ${noCEL}`,
      ],
    ],
    [
      userRules({ expression: "user.name != ''" }, { message: "m" }),
      [
        `jwt[0].userValidationRules[0].expression: ${noCEL}`,
        "jwt[0].userValidationRules[1].expression: Required value: expression is required",
      ],
    ],
  ];
  for (const [jwt, expected] of rows) assert.deepEqual(problemsOf(file(jwt)), expected, JSON.stringify(jwt));
});

test("authenticators are at most 64, each of its own issuer", () => {
  const many = (count: number): Tree[] =>
    Array.from({ length: count }, (_, i) => authenticator({ issuer: { url: `${url}/${i}` } }));
  assert.deepEqual(problemsOf(file(...many(64))), []);
  assert.deepEqual(problemsOf(file(...many(65))), ["jwt: Too many: 65: must have at most 64 items"]);
  const twice = authenticator({ issuer: { discoveryURL: "https://discovery" } });
  assert.deepEqual(problemsOf(file(twice, twice)), [
    `jwt[1].issuer.url: Duplicate value: "${url}"`,
    'jwt[1].issuer.discoveryURL: Duplicate value: "https://discovery"',
  ]);
});

test("conditions of anonymous requests need these to be enabled", () => {
  assert.deepEqual(problemsOf({ ...file(), anonymous: { enabled: false, conditions: [{ path: "/livez" }] } }), [
    'anonymous.conditions: Invalid value: [{"path":"/livez"}]: enabled should be set to true when conditions are defined',
  ]);
});

test("in the other dialect group and reserved domains have its words", () => {
  const ours = { naming: createNaming("orch"), serviceAccountIssuers: [] };
  const extra = [{ key: "sub.orch/a", valueExpression: "x" }];
  const tree = { ...file(authenticator({ mappings: { extra } })), apiVersion: "apiserver.config.orch/v1" };
  const parsed = parseAuthenticationConfiguration(tree, ours);
  assert.deepEqual(parsed.ok ? [] : parsed.problems, [
    'jwt[0].claimMappings.extra[0].key: Invalid value: "sub.orch/a": orch and their subdomains are reserved',
    `jwt[0].claimMappings.extra[0].valueExpression: ${noCEL}`,
  ]);
});
