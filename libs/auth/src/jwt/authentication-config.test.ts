import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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

async function problemsOf(tree: unknown): Promise<readonly string[]> {
  const parsed = await parseAuthenticationConfiguration(tree, deps);
  return parsed.ok ? [] : parsed.problems;
}

test("a whole configuration is read", async () => {
  const parsed = await parseAuthenticationConfiguration(
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

test("a configuration may leave out authenticators and anonymous requests", async () => {
  for (const version of ["v1alpha1", "v1beta1", "v1"]) {
    const tree = { ...file(), apiVersion: `apiserver.config.k8s.io/${version}`, jwt: null, anonymous: null };
    const parsed = await parseAuthenticationConfiguration(tree, deps);
    assert.deepEqual(parsed, { ok: true, value: { jwt: [], signingAlgorithms } }, version);
  }
  const disabled = await parseAuthenticationConfiguration({ ...file(), anonymous: {} }, deps);
  assert.ok(disabled.ok);
  assert.deepEqual(disabled.value.anonymous, { enabled: false, conditions: [] });
});

test("what cannot be read is told by its place, and never by its value", async () => {
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
    assert.deepEqual((await problemsOf(tree)).toSorted(), expected.toSorted(), JSON.stringify(tree));
  }
});

test("every issuer is checked", async () => {
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
    assert.deepEqual(await problemsOf(file(authenticator({ issuer }))), expected, JSON.stringify(issuer));
  }
});

const notBoth = "claim and expression can't both be set";
/** What is wrong with `claims` where an expression begins with it. */
const undeclared = (name: string, text: string): string =>
  `Invalid value: ${JSON.stringify(text)}: compilation failed: ERROR: <input>:1:1: undeclared reference to '${name}' (in container '')\n | ${text}\n | ^`;
const noBool = (text: string): string => `Invalid value: ${JSON.stringify(text)}: must evaluate to bool`;

test("mappings of claims are checked, their expressions too", async () => {
  const at = "jwt[0].claimMappings";
  const mappings = (given: Tree): Tree => authenticator({ mappings: given });
  const key = (given: string): Tree => mappings({ extra: [{ key: given, valueExpression: "claims.a" }] });
  const keyProblem = (given: string, why: string): string =>
    `${at}.extra[0].key: Invalid value: ${JSON.stringify(given)}: ${why}`;
  const noPath = 'must be a domain-prefixed path (such as "acme.io/foo")';
  const rows: readonly (readonly [Tree, readonly string[]])[] = [
    [mappings({ username: null }), [`${at}.username: Required value: claim or expression is required`]],
    [
      mappings({ username: { claim: "sub" } }),
      [
        `${at}.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
      ],
    ],
    [mappings({ username: { expression: "claims.sub" } }), []],
    [mappings({ username: { expression: "1" } }), []],
    [mappings({ username: { expression: "user.x" } }), [`${at}.username.expression: ${undeclared("user", "user.x")}`]],
    [
      mappings({ username: { expression: "claims." } }),
      [
        `${at}.username.expression: Invalid value: "claims.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | claims.\n | .......^`,
      ],
    ],
    [
      mappings({ username: { expression: "claims.sub", prefix: "p" } }),
      [`${at}.username.prefix: Invalid value: "p": prefix can't be set when expression is set`],
    ],
    [
      mappings({ username: { claim: "sub", prefix: "", expression: "x" } }),
      [`${at}.username: Invalid value: "": ${notBoth}`, `${at}.username.expression: ${undeclared("x", "x")}`],
    ],
    [mappings({ groups: { prefix: "p" } }), []],
    [mappings({ groups: { expression: "claims.groups" } }), []],
    [mappings({ groups: { expression: "g" } }), [`${at}.groups.expression: ${undeclared("g", "g")}`]],
    [
      mappings({ groups: { claim: "groups" } }),
      [
        `${at}.groups.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
      ],
    ],
    [mappings({ uid: { expression: "claims.sub" } }), []],
    [mappings({ uid: { expression: "u" } }), [`${at}.uid.expression: ${undeclared("u", "u")}`]],
    [mappings({ uid: { claim: "sub", expression: "claims.sub" } }), [`${at}.uid: Invalid value: "": ${notBoth}`]],
    [key("example.com/a"), []],
    [
      mappings({ extra: [{}] }),
      [
        `${at}.extra[0].key: Required value`,
        `${at}.extra[0].valueExpression: Required value: valueExpression is required`,
      ],
    ],
    [key("foo"), [keyProblem("foo", noPath)]],
    [key("example.com/"), [keyProblem("example.com/", noPath)]],
    [key("exa_mple.com/a"), [keyProblem("exa_mple.com/a", noPath)]],
    [key("example.com/A"), [keyProblem("example.com/A", "key must be lowercase")]],
    ...["k8s.io/a", "x.kubernetes.io/a"].map((each): readonly [Tree, readonly string[]] => [
      key(each),
      [keyProblem(each, "k8s.io, kubernetes.io and their subdomains are reserved")],
    ]),
    [
      mappings({
        extra: [
          { key: "a.io/b", valueExpression: "x" },
          { key: "a.io/b", valueExpression: "x" },
        ],
      }),
      [`${at}.extra[0].valueExpression: ${undeclared("x", "x")}`, `${at}.extra[1].key: Duplicate value: "a.io/b"`],
    ],
  ];
  for (const [jwt, expected] of rows) assert.deepEqual(await problemsOf(file(jwt)), expected, JSON.stringify(jwt));
});

test("rules are checked, their expressions too", async () => {
  const at = "jwt[0].claimValidationRules";
  const rules = (...claimValidationRules: Tree[]): Tree => authenticator({ claimValidationRules });
  const userAt = "jwt[0].userValidationRules";
  const userRules = (...userValidationRules: Tree[]): Tree => authenticator({ userValidationRules });
  const rows: readonly (readonly [Tree, readonly string[]])[] = [
    [rules({ requiredValue: "x" }), [`${at}[0]: Required value: claim or expression is required`]],
    [
      rules({ claim: "a", message: "m" }),
      [`${at}[0].message: Invalid value: "m": message can't be set when claim is set`],
    ],
    [rules({ claim: "a" }, { claim: "a", requiredValue: "x" }), [`${at}[1].claim: Duplicate value: "a"`]],
    [rules({ claim: "a", expression: "x" }), [`${at}[0]: Invalid value: "a": ${notBoth}`]],
    [rules({ expression: "claims.hd == 'x'", message: "m" }, { expression: "claims.a == 1" }), []],
    [
      rules({ expression: "claims.hd" }, { expression: "1" }),
      [`${at}[0].expression: ${noBool("claims.hd")}`, `${at}[1].expression: ${noBool("1")}`],
    ],
    [
      rules({ expression: "x", requiredValue: "y", message: "m" }, { expression: "x" }),
      [
        `${at}[0].requiredValue: Invalid value: "y": requiredValue can't be set when expression is set`,
        `${at}[0].expression: ${undeclared("x", "x")}`,
        `${at}[1].expression: Duplicate value: "x"`,
      ],
    ],
    [
      userRules({ expression: "user.username != ''" }, { message: "m" }),
      [`${userAt}[1].expression: Required value: expression is required`],
    ],
    [
      userRules({ expression: "user.uid" }, { expression: "claims.x == 1" }, { expression: "user.uid" }),
      [
        `${userAt}[0].expression: ${noBool("user.uid")}`,
        `${userAt}[1].expression: ${undeclared("claims", "claims.x == 1")}`,
        `${userAt}[2].expression: Duplicate value: "user.uid"`,
      ],
    ],
  ];
  for (const [jwt, expected] of rows) assert.deepEqual(await problemsOf(file(jwt)), expected, JSON.stringify(jwt));
});

test("whoever makes user names of email addresses has to look whether they were verified", async () => {
  const mail = (expression: string, rest: Tree = {}, extra: string = "claims.tenant"): Tree =>
    authenticator({
      mappings: { username: { expression }, extra: [{ key: "example.com/a", valueExpression: extra }] },
      ...rest,
    });
  const rule = (expression: string): Tree => ({ claimValidationRules: [{ expression }] });
  const userRule = { userValidationRules: [{ expression: "user.extra['claims.email_verified'] == ['true']" }] };
  const rows: readonly (readonly [Tree, boolean])[] = [
    [mail("claims.email"), false],
    [mail(".claims.email"), false],
    [mail("claims.?email.orValue('x')"), false],
    [mail("has(claims.email) ? 'a' : 'b'"), false],
    [mail("'x' + string({'a': [claims.email]}['a'][0])"), false],
    [mail("claims.email", rule("claims.hd == 'x'")), false],
    [mail("claims.email", userRule), false],
    [mail("claims.email", rule("claims['email_verified'] == true")), false],
    [mail("claims.email", rule("claims.email_verified == true")), true],
    [mail("claims.email", rule("claims.?email_verified.orValue(true) == true")), true],
    [mail("claims.email", {}, "string(claims.email_verified)"), true],
    [mail("claims.email_verified == true ? claims.email : claims.sub"), true],
    [mail("claims['email']"), true],
    [mail("claims.a.email"), true],
  ];
  for (const [jwt, good] of rows) {
    const [problem = ""] = await problemsOf(file(jwt));
    const wrong = "jwt[0].claimMappings.username.expression: Invalid value: ";
    assert.ok(good ? problem === "" : problem.startsWith(wrong), `${problem} ${JSON.stringify(jwt)}`);
    assert.ok(
      good || problem.includes(": claims.email_verified must be used in claimMappings.username.expression or "),
    );
  }
});

test("authenticators are at most 64, each of its own issuer", async () => {
  const many = (count: number): Tree[] =>
    Array.from({ length: count }, (_, i) => authenticator({ issuer: { url: `${url}/${i}` } }));
  assert.deepEqual(await problemsOf(file(...many(64))), []);
  assert.deepEqual(await problemsOf(file(...many(65))), ["jwt: Too many: 65: must have at most 64 items"]);
  const twice = authenticator({ issuer: { discoveryURL: "https://discovery" } });
  assert.deepEqual(await problemsOf(file(twice, twice)), [
    `jwt[1].issuer.url: Duplicate value: "${url}"`,
    'jwt[1].issuer.discoveryURL: Duplicate value: "https://discovery"',
  ]);
});

test("conditions of anonymous requests need these to be enabled", async () => {
  assert.deepEqual(await problemsOf({ ...file(), anonymous: { enabled: false, conditions: [{ path: "/livez" }] } }), [
    'anonymous.conditions: Invalid value: [{"path":"/livez"}]: enabled should be set to true when conditions are defined',
  ]);
});

test("in the other dialect group and reserved domains have its words", async () => {
  const ours = { naming: createNaming("orch"), serviceAccountIssuers: [] };
  const extra = [{ key: "sub.orch/a", valueExpression: "claims.x" }];
  const tree = { ...file(authenticator({ mappings: { extra } })), apiVersion: "apiserver.config.orch/v1" };
  const parsed = await parseAuthenticationConfiguration(tree, ours);
  assert.deepEqual(parsed.ok ? [] : parsed.problems, [
    'jwt[0].claimMappings.extra[0].key: Invalid value: "sub.orch/a": orch and their subdomains are reserved',
  ]);
});

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly authn: { readonly config?: Tree };
  readonly want: { readonly create_errors?: readonly string[] };
}

test("the reference's answers to whole configurations hold", async () => {
  const lines = readFileSync(new URL("../../../cel/testdata/cases.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const rows = lines
    .map((line): Row => JSON.parse(line))
    .filter(({ kind, authn }) => kind === "authn" && authn.config !== undefined);
  assert.equal(rows.length, 4);
  for (const { id, authn, want } of rows) {
    const problems = await problemsOf({ ...file(), ...authn.config });
    assert.deepEqual(problems.toSorted(), want.create_errors ?? [], id);
  }
});
