import assert from "node:assert/strict";
import { createHmac, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import fc from "fast-check";
import { CompactSign } from "jose";
import { noVerdict, type Verdict } from "../authenticator.js";
import { type ObjectMap, objectMap } from "../testing/object-map.js";
import { type ServiceAccountDeps, serviceAccountAuthenticator } from "./authenticator.js";
import type { Issued } from "./claims.js";
import { parsePublicKeys } from "./keys.js";
import { legacyTokenIssuer, tokenIssuer } from "./token-issuer.js";

const ec = pemPair("ec");
const rsa = pemPair("rsa");
const foreign = pemPair("ec");

function pemPair(type: "ec" | "rsa"): { readonly key: string; readonly pub: string } {
  const { privateKey, publicKey } =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    pub: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
}

const issuer = "https://cluster.example";
const noon = Date.parse("2025-01-01T12:00:00Z");
const minute = 60_000;

const object = (uid: string, more: object = {}): AnyObject => ({ metadata: { uid }, ...more });
const deletedAt = (uid: string, ms: number): AnyObject => ({
  metadata: { uid, deletionTimestamp: new Date(ms).toISOString() },
});

interface World {
  readonly objects: ObjectMap;
  /** Moves time on. */
  wait(ms: number): void;
  ask(token: string, audiences?: readonly string[]): Promise<Verdict>;
  /** At once, or not. */
  askNow(token: string): Verdict | Promise<Verdict>;
  issue(more?: Partial<Issued>, key?: string): Promise<string>;
  issueLegacy(key?: string): Promise<string>;
  /** A token of any header and payload, signed by any key. */
  forge(payload: object, options?: { readonly header?: object; readonly key?: string }): Promise<string>;
}

function createWorld(more: Partial<ServiceAccountDeps> & { readonly dialect?: Dialect } = {}): World {
  const { dialect = "kubernetes", ...deps } = more;
  const naming = createNaming(dialect);
  const objects = objectMap();
  objects.put("serviceaccounts/ns/app", object("sa-1"));
  objects.put("pods/ns/pod", object("pod-1"));
  objects.put("secrets/ns/held", object("secret-1"));
  objects.put("nodes/node", object("node-1"));
  let time = noon;
  const now = (): number => time;
  const apiAudiences = ["api"];
  const authenticator = serviceAccountAuthenticator({
    naming,
    issuers: [issuer],
    keys: [ec.pub, rsa.key],
    apiAudiences,
    objects,
    now,
    lookup: true,
    legacy: true,
    ...deps,
  });
  return {
    objects,
    wait: (ms) => {
      time += ms;
    },
    ask: async (token, audiences = apiAudiences) => authenticator.authenticateToken(token, audiences),
    askNow: (token) => authenticator.authenticateToken(token, apiAudiences),
    issue: (given = {}, key = ec.key) =>
      tokenIssuer({ naming, issuer, signingKeyPem: key, now, newUid: () => "jti-1" }).issue({
        namespace: "ns",
        serviceAccount: { name: "app", uid: "sa-1" },
        audiences: ["api"],
        seconds: 3600,
        ...given,
      }),
    issueLegacy: (key = ec.key) =>
      legacyTokenIssuer({ naming, signingKeyPem: key }).issue({
        namespace: "ns",
        serviceAccount: { name: "app", uid: "sa-1" },
        secret: "held",
      }),
    forge: (payload, { header = {}, key = ec.key } = {}) =>
      new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: "ES256", ...header })
        .sign(createPrivateKey(key)),
  };
}

const denial = (verdict: Verdict): string => (verdict.outcome === "deny" ? verdict.why : verdict.outcome);
const userOf = (verdict: Verdict) => (verdict.outcome === "allow" ? verdict.user : assert.fail(denial(verdict)));
const pod = { kind: "Pod", name: "pod", uid: "pod-1" } as const;
const secret = { kind: "Secret", name: "held", uid: "secret-1" } as const;
const node = { kind: "Node", name: "node", uid: "node-1" } as const;

const extras: readonly (readonly [string, Partial<Issued>, Readonly<Record<string, string>>])[] = [
  ["nothing", {}, {}],
  ["a secret", { bound: secret }, {}],
  ["a pod", { bound: pod }, { "pod-name": "pod", "pod-uid": "pod-1" }],
  [
    "a pod on a node",
    { bound: pod, node: { name: "n", uid: "n-1" } },
    { "pod-name": "pod", "pod-uid": "pod-1", "node-name": "n", "node-uid": "n-1" },
  ],
  [
    "a pod on a node that is gone",
    { bound: pod, node: { name: "n", uid: "" } },
    { "pod-name": "pod", "pod-uid": "pod-1", "node-name": "n" },
  ],
  ["a node", { bound: node }, { "node-name": "node", "node-uid": "node-1" }],
];
for (const dialect of ["orch", "kubernetes"] as const) {
  const domain = dialect === "orch" ? "authentication.orch" : "authentication.kubernetes.io";
  for (const [what, issued, extra] of extras) {
    test(`a token bound to ${what} is its service account's, in ${dialect}`, async () => {
      const { ask, issue } = createWorld({ dialect });
      const told = { "credential-id": "JTI=jti-1", ...extra };
      assert.deepEqual(await ask(await issue(issued)), {
        outcome: "allow",
        user: {
          name: "system:serviceaccount:ns:app",
          uid: "sa-1",
          groups: ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
          extra: Object.fromEntries(Object.entries(told).map(([name, value]) => [`${domain}/${name}`, [value]])),
        },
        audiences: ["api"],
      });
    });
  }
}

test("the payload has the reference's claims", async () => {
  const token = await createWorld().issue({ bound: pod, node: { name: "n", uid: "n-1" }, warnAfterSeconds: 10 });
  const [header, payload] = token.split(".").map((part) => Buffer.from(part, "base64url").toString());
  const at = noon / 1000;
  assert.deepEqual(JSON.parse(payload ?? ""), {
    aud: ["api"],
    exp: at + 3600,
    iat: at,
    iss: issuer,
    jti: "jti-1",
    "kubernetes.io": {
      namespace: "ns",
      node: { name: "n", uid: "n-1" },
      pod: { name: "pod", uid: "pod-1" },
      serviceaccount: { name: "app", uid: "sa-1" },
      warnafter: at + 10,
    },
    nbf: at,
    sub: "system:serviceaccount:ns:app",
  });
  const keys = parsePublicKeys([ec.pub]);
  assert.ok(keys.ok);
  assert.deepEqual(JSON.parse(header ?? ""), { alg: "ES256", kid: keys.value[0]?.id });
});

test("every known key signs, and private keys in the list are their public halves", async () => {
  const { ask, issue } = createWorld();
  for (const key of [ec.key, rsa.key]) assert.equal((await ask(await issue({}, key))).outcome, "allow");
});

// What becomes of the objects, and what is then said of a token bound to each.
const gone = /not there/;
const another = /another one of that name/;
const deleted = /has been deleted/;
const fates: readonly (readonly [string, (objects: ObjectMap) => void, Partial<Issued>, RegExp | undefined])[] = [
  ["its account is gone", (o) => o.remove("serviceaccounts/ns/app"), {}, gone],
  ["its account is another one", (o) => o.put("serviceaccounts/ns/app", object("sa-2")), {}, another],
  ["its account was deleted just now", (o) => o.put("serviceaccounts/ns/app", deletedAt("sa-1", noon)), {}, undefined],
  [
    "its account was deleted 61 s ago",
    (o) => o.put("serviceaccounts/ns/app", deletedAt("sa-1", noon - 61_000)),
    {},
    deleted,
  ],
  ["its pod is gone", (o) => o.remove("pods/ns/pod"), { bound: pod }, gone],
  ["its pod is another one", (o) => o.put("pods/ns/pod", object("pod-2")), { bound: pod }, another],
  ["its pod ends soon", (o) => o.put("pods/ns/pod", deletedAt("pod-1", noon + minute)), { bound: pod }, undefined],
  [
    "its pod should have ended",
    (o) => o.put("pods/ns/pod", deletedAt("pod-1", noon - 61_000)),
    { bound: pod },
    deleted,
  ],
  [
    "its pod's end makes no sense",
    (o) => o.put("pods/ns/pod", { metadata: { uid: "pod-1", deletionTimestamp: "x" } }),
    { bound: pod },
    deleted,
  ],
  ["its secret is gone", (o) => o.remove("secrets/ns/held"), { bound: secret }, gone],
  ["its secret is another one", (o) => o.put("secrets/ns/held", object("secret-2")), { bound: secret }, another],
  ["its node is gone", (o) => o.remove("nodes/node"), { bound: node }, gone],
  ["its node is another one", (o) => o.put("nodes/node", object("node-2")), { bound: node }, another],
  ["its pod's node is gone", (o) => o.remove("nodes/node"), { bound: pod, node }, undefined],
];
for (const [what, happens, issued, why] of fates) {
  test(`when ${what} a token is ${why === undefined ? "good" : "refused"}`, async () => {
    const { ask, issue, objects } = createWorld();
    const token = await issue(issued);
    happens(objects);
    const verdict = await ask(token);
    if (why === undefined) assert.equal(verdict.outcome, "allow");
    else assert.match(denial(verdict), why);
  });
}

for (const [path, issued] of [
  ["serviceaccounts/ns/app", {}],
  ["pods/ns/pod", { bound: pod }],
  ["secrets/ns/held", { bound: secret }],
  ["nodes/node", { bound: node }],
] as const) {
  test(`a token that was good is dead within a second of the deletion of ${path}`, async () => {
    const { ask, issue, objects, wait } = createWorld();
    const token = await issue(issued);
    assert.equal((await ask(token)).outcome, "allow");
    objects.remove(path);
    wait(1000);
    assert.match(denial(await ask(token)), gone);
  });
}

test("objects are asked for at most about once a second, by one asker at a time, and a known token is judged at once", async () => {
  const { ask, askNow, issue, objects, wait } = createWorld();
  const token = await issue({ bound: pod });
  await Promise.all(Array.from({ length: 50 }, () => ask(token)));
  const both = ["serviceaccounts/ns/app", "pods/ns/pod"];
  assert.deepEqual(objects.asked, both);
  for (let i = 0; i < 8; i++) {
    wait(100);
    const verdict = askNow(token);
    assert.ok(!(verdict instanceof Promise) && verdict.outcome === "allow");
  }
  assert.deepEqual(objects.asked, both);
  wait(100);
  await ask(token);
  assert.deepEqual(objects.asked, [...both, ...both]);
});

test("an account that the source hears of late is good a moment later", async () => {
  const { ask, issue, objects, wait } = createWorld();
  const token = await issue();
  objects.put("serviceaccounts/ns/app", object("old"));
  assert.match(denial(await ask(token)), another);
  objects.put("serviceaccounts/ns/app", object("sa-1"));
  wait(100);
  assert.equal((await ask(token)).outcome, "allow");
});

test("a clock that is set back makes nothing known good", async () => {
  const { ask, issue, objects, wait } = createWorld();
  const token = await issue();
  assert.equal((await ask(token)).outcome, "allow");
  objects.remove("serviceaccounts/ns/app");
  wait(-30_000);
  assert.match(denial(await ask(token)), gone);
});

test("while nobody can be asked tokens are refused, and good again afterwards", async () => {
  const { ask, issue, objects, wait } = createWorld();
  const token = await issue();
  assert.equal((await ask(token)).outcome, "allow");
  objects.away(true);
  wait(1000);
  for (let i = 0; i < 2; i++) assert.match(denial(await ask(token)), /could not be asked/);
  objects.away(false);
  assert.equal((await ask(token)).outcome, "allow");
});

test("a token is good in its time, and a minute beside it", async () => {
  const { ask, issue, wait } = createWorld();
  const token = await issue({ seconds: 600 });
  wait(-minute);
  assert.equal((await ask(token)).outcome, "allow");
  wait(-1000);
  assert.match(denial(await ask(token)), /not valid yet/);
  wait(61_000 + 11 * minute);
  assert.equal((await ask(token)).outcome, "allow");
  wait(1000);
  assert.match(denial(await ask(token)), /expired/);
});

const audiences: readonly (readonly [
  of: readonly string[],
  asked: readonly string[],
  got: readonly string[] | RegExp,
])[] = [
  [["api"], ["api"], ["api"]],
  [
    ["vault", "api"],
    ["api", "other", "vault"],
    ["api", "vault"],
  ],
  [["vault"], ["vault"], ["vault"]],
  [["vault"], ["api"], /other audiences/],
  [["api"], ["vault"], /other audiences/],
  [["api"], [], /other audiences/],
  [[], ["api"], ["api"]],
  [[], ["vault"], /other audiences/],
];
for (const [of, asked, got] of audiences) {
  test(`a token for [${of}] asked for [${asked}]: ${got}`, async () => {
    const { ask, issue } = createWorld();
    const verdict = await ask(await issue({ audiences: of }), asked);
    if (got instanceof RegExp) assert.match(denial(verdict), got);
    else assert.deepEqual(verdict.outcome === "allow" ? verdict.audiences : denial(verdict), got);
  });
}

const at = noon / 1000;
const account = { name: "app", uid: "sa-1" };
const payload = {
  iss: issuer,
  aud: ["api"],
  exp: at + 60,
  "kubernetes.io": { namespace: "ns", serviceaccount: account },
};

test("a token without kid, or with one of an unknown key", async () => {
  const { ask, forge } = createWorld();
  assert.equal((await ask(await forge(payload))).outcome, "allow");
  assert.equal((await ask(await forge(payload, { header: { kid: "" } }))).outcome, "allow");
  assert.match(denial(await ask(await forge(payload, { header: { kid: "x" } }))), /no key/);
});

const wrong: readonly (readonly [string, object])[] = [
  ["no claim of ours", { "kubernetes.io": undefined }],
  ["a claim that is a list", { "kubernetes.io": [] }],
  ["no account", { "kubernetes.io": { namespace: "ns" } }],
  ["no namespace", { "kubernetes.io": { serviceaccount: account } }],
  ["a namespace that leads elsewhere", { "kubernetes.io": { namespace: "../kube-system", serviceaccount: account } }],
  [
    "an account that leads elsewhere",
    { "kubernetes.io": { namespace: "ns", serviceaccount: { name: "a/b", uid: "sa-1" } } },
  ],
  ["a pod without a name", { "kubernetes.io": { namespace: "ns", serviceaccount: account, pod: {} } }],
  ["a pod that is a text", { "kubernetes.io": { namespace: "ns", serviceaccount: account, pod: "pod" } }],
  ["an end that is a text", { exp: "2099-01-01T00:00:00Z" }],
  ["an end that was", { exp: at - 61 }],
  ["a beginning to come", { nbf: at + 61 }],
  ["an issue to come", { iat: at + 61 }],
  ["an audience that is a number", { aud: 1 }],
  ["audiences that are numbers", { aud: [1] }],
  ["a subject that is a number", { sub: 1 }],
  ["an account without a uid", { "kubernetes.io": { namespace: "ns", serviceaccount: { name: "app" } } }],
];
for (const [what, change] of wrong) {
  test(`a signed token with ${what} is refused`, async () => {
    const { ask, forge } = createWorld();
    assert.equal((await ask(await forge({ ...payload, ...change }))).outcome, "deny");
  });
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test("alg none, and a signature with the public key as a secret, are refused", async () => {
  const { ask, issue } = createWorld();
  const [header, body] = (await issue()).split(".");
  for (const alg of ["none", "None", "NONE", ""]) {
    assert.equal((await ask(`${part({ alg })}.${part(payload)}.`)).outcome, "deny");
    assert.equal((await ask(`${part({ alg })}.${body}.AAAA`)).outcome, "deny");
  }
  for (const pub of [ec.pub, rsa.pub]) {
    for (const alg of ["HS256", "HS384", "HS512"]) {
      const head = part({ alg });
      const mac = createHmac(`sha${alg.slice(2)}`, pub)
        .update(`${head}.${part(payload)}`)
        .digest("base64url");
      assert.match(denial(await ask(`${head}.${part(payload)}.${mac}`)), /signature is wrong/);
    }
  }
  assert.equal((await ask(`${header}.${body}.`)).outcome, "deny");
});

test("another algorithm than the key's own is refused, even rightly signed", async () => {
  const { ask, forge } = createWorld();
  const sign = (alg: string) => forge(payload, { header: { alg }, key: rsa.key });
  assert.equal((await ask(await sign("RS256"))).outcome, "allow");
  for (const alg of ["RS384", "RS512", "PS256"]) assert.match(denial(await ask(await sign(alg))), /signature is wrong/);
});

test("a token that a foreign key has signed is refused, whatever kid it names", async () => {
  const { ask, issue, forge } = createWorld();
  const keys = parsePublicKeys([ec.pub]);
  assert.ok(keys.ok);
  assert.match(denial(await ask(await issue({}, foreign.key))), /no key/);
  const kid = keys.value[0]?.id;
  assert.match(denial(await ask(await forge(payload, { header: { kid }, key: foreign.key }))), /signature is wrong/);
  assert.match(denial(await ask(await forge(payload, { key: foreign.key }))), /signature is wrong/);
});

test("a header that asks for an extension is refused", async () => {
  const { ask } = createWorld();
  const head = part({ alg: "ES256", crit: ["b64"], b64: false });
  assert.match(denial(await ask(`${head}.${part(payload)}.AAAA`)), /extension/);
});

test("tokens of other issuers, and what is no token, are left to others", async () => {
  const { ask, forge, objects } = createWorld();
  const others = [
    await forge({ ...payload, iss: "https://other.example" }),
    await forge({ ...payload, iss: undefined }),
    await forge({ ...payload, iss: [issuer] }),
    "",
    "a.b.c",
    "abcdef.0123456789abcdef",
    `${part({})}.${part(payload)}`,
    `${part({})}.${part(payload)}.a.b`,
    `{${part({})}.${part(payload)}.a`,
    `${part({})}.${part([issuer])}.a`,
    `${part({})}.${part({ iss: issuer, x: "x".repeat(70_000) })}.a`,
  ];
  for (const token of others) assert.deepEqual(await ask(token), noVerdict, token.slice(0, 80));
  assert.deepEqual(objects.asked, []);
});

test("a changed token is refused, whichever letter it is", async () => {
  const { ask, issue } = createWorld();
  const token = await issue();
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 3), fc.constantFrom(...letters), async (i, letter) => {
      // The last letter of a signature has bits that mean nothing.
      fc.pre(token[i] !== letter && token[i] !== ".");
      const verdict = await ask(token.slice(0, i) + letter + token.slice(i + 1));
      assert.notEqual(verdict.outcome, "allow");
    }),
    { numRuns: 300 },
  );
  assert.equal((await ask(token)).outcome, "allow");
});

test("junk is answered, never thrown at", async () => {
  const { ask } = createWorld();
  const anyPart = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.json().map((text) => Buffer.from(text).toString("base64url")),
    fc
      .record({
        iss: fc.constantFrom(issuer, "kubernetes/serviceaccount"),
        aud: fc.jsonValue(),
        "kubernetes.io": fc.jsonValue(),
      })
      .map(part),
    fc.record({ alg: fc.constantFrom("ES256", "RS256", "HS256", "none"), kid: fc.jsonValue() }).map(part),
  );
  const junk = fc.oneof(
    fc.string(),
    fc.array(anyPart, { maxLength: 5 }).map((parts) => parts.join(".")),
  );
  await fc.assert(
    fc.asyncProperty(junk, async (token) => {
      assert.notEqual((await ask(token)).outcome, "allow");
    }),
    { numRuns: 2000 },
  );
});

test("no verdict shows anything of the token", async () => {
  const { ask, issue } = createWorld();
  const token = await issue({}, foreign.key);
  const told = JSON.stringify(await ask(token));
  for (const piece of token.split(".")) assert.ok(!told.includes(piece.slice(0, 12)));
});

// Tokens that live in secrets.

const held = (token: string, more: object = {}): AnyObject =>
  object("secret-1", { data: { token: Buffer.from(token).toString("base64") }, ...more });

for (const dialect of ["orch", "kubernetes"] as const) {
  test(`the token of a secret is its service account's, for as long as both are there, in ${dialect}`, async () => {
    const { ask, issueLegacy, objects, wait } = createWorld({ dialect });
    const token = await issueLegacy();
    objects.put("secrets/ns/held", held(token));
    wait(10 * 365 * 24 * 60 * minute);
    const user = userOf(await ask(token));
    assert.deepEqual(
      [user.name, user.uid, user.groups[1], user.extra],
      ["system:serviceaccount:ns:app", "sa-1", "system:serviceaccounts:ns", {}],
    );
    objects.remove("secrets/ns/held");
    wait(1000);
    assert.match(denial(await ask(token)), gone);
  });
}

test("the payload of a secret's token has the reference's claims", async () => {
  const [, body = ""] = (await createWorld().issueLegacy()).split(".");
  assert.deepEqual(JSON.parse(Buffer.from(body, "base64url").toString()), {
    iss: "kubernetes/serviceaccount",
    "kubernetes.io/serviceaccount/namespace": "ns",
    "kubernetes.io/serviceaccount/secret.name": "held",
    "kubernetes.io/serviceaccount/service-account.name": "app",
    "kubernetes.io/serviceaccount/service-account.uid": "sa-1",
    sub: "system:serviceaccount:ns:app",
  });
});

const legacyFates: readonly (readonly [string, (objects: ObjectMap, token: string) => void, RegExp])[] = [
  ["its secret holds another token", (o) => o.put("secrets/ns/held", held("x")), /holds another one/],
  ["its secret holds none", (o) => o.put("secrets/ns/held", object("secret-1")), /holds another one/],
  [
    "its secret is being deleted",
    (o, token) => o.put("secrets/ns/held", { ...held(token), ...deletedAt("secret-1", noon) }),
    gone,
  ],
  [
    "its secret is marked",
    (o, token) =>
      o.put("secrets/ns/held", {
        ...held(token),
        metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2024-12-01" } },
      }),
    /not to be used any more/,
  ],
  ["its account is being deleted", (o) => o.put("serviceaccounts/ns/app", deletedAt("sa-1", noon)), /is deleted/],
  ["its account is another one", (o) => o.put("serviceaccounts/ns/app", object("sa-2")), another],
  ["its account is gone", (o) => o.remove("serviceaccounts/ns/app"), gone],
  ["nobody can be asked", (o) => o.away(true), /could not be asked/],
];
for (const [what, happens, why] of legacyFates) {
  test(`when ${what} a secret's token is refused, and good without the look-up`, async () => {
    const careful = createWorld();
    const token = await careful.issueLegacy();
    careful.objects.put("secrets/ns/held", held(token));
    happens(careful.objects, token);
    assert.match(denial(await careful.ask(token)), why);
    const trusting = createWorld({ lookup: false });
    happens(trusting.objects, token);
    assert.equal((await trusting.ask(token)).outcome, "allow");
    assert.deepEqual(trusting.objects.asked, []);
  });
}

test("the use of a secret's token is told, unless it is recorded of today or tomorrow", async () => {
  const told: object[] = [];
  const { ask, issueLegacy, objects, wait } = createWorld({ secretUsed: (use) => told.push(use) });
  const token = await issueLegacy();
  const label = (day: string): void =>
    objects.put("secrets/ns/held", {
      ...held(token),
      metadata: { uid: "secret-1", labels: { "kubernetes.io/legacy-token-last-used": day } },
    });
  objects.put("secrets/ns/held", held(token));
  await ask(token);
  assert.deepEqual(told.splice(0), [{ namespace: "ns", name: "held", day: "2025-01-01" }]);
  for (const [day, times] of [
    ["2024-12-31", 1],
    ["2025-01-01", 0],
    ["2025-01-02", 0],
  ] as const) {
    label(day);
    wait(1000);
    await ask(token);
    assert.equal(told.splice(0).length, times, day);
  }
  objects.put("serviceaccounts/ns/app", object("sa-2"));
  label("2024-12-31");
  wait(1000);
  assert.match(denial(await ask(token)), another);
  assert.deepEqual(told, []);
});

test("where secrets' tokens are not taken they are left to others", async () => {
  const { ask, issueLegacy } = createWorld({ legacy: false });
  assert.deepEqual(await ask(await issueLegacy()), noVerdict);
});

test("the old issuer may be the new one's name", async () => {
  const old = "kubernetes/serviceaccount";
  const { ask, issueLegacy, forge, objects } = createWorld({ issuers: [old] });
  const token = await issueLegacy();
  objects.put("secrets/ns/held", held(token));
  assert.equal((await ask(token)).outcome, "allow");
  assert.equal((await ask(await forge({ ...payload, iss: old }))).outcome, "allow");
});

const legacyName = "kubernetes.io/serviceaccount/";
const legacyPayload = {
  iss: "kubernetes/serviceaccount",
  [`${legacyName}namespace`]: "ns",
  [`${legacyName}secret.name`]: "held",
  [`${legacyName}service-account.name`]: "app",
  [`${legacyName}service-account.uid`]: "sa-1",
  sub: "system:serviceaccount:ns:app",
};
for (const claim of Object.keys(legacyPayload).filter((name) => name !== "iss")) {
  test(`a secret's token without or with a wrong ${claim} is refused`, async () => {
    const { ask, forge } = createWorld({ lookup: false });
    assert.equal((await ask(await forge(legacyPayload))).outcome, "allow");
    assert.equal((await ask(await forge({ ...legacyPayload, [claim]: undefined }))).outcome, "deny");
    if (claim.endsWith("uid")) return;
    assert.equal((await ask(await forge({ ...legacyPayload, [claim]: "../x" }))).outcome, "deny");
  });
}
