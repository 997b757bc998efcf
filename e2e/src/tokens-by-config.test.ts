import assert from "node:assert/strict";
import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { createServer, type Server as HttpsServer } from "node:https";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { issueAuthority, issueServing } from "@orch/pki/certificates.js";
import { startServer, temporaryFolder } from "./command-line-program.js";
import { valueAt } from "./harness/http.js";
import { fetchJsonOverHttps, type OidcProvider, startOidcProvider } from "./harness/oidc.js";
import { until } from "./harness/until.js";
import { refusalToStart, witnessOf } from "./harness/who.js";
import { writeWhole } from "./harness/whole-file.js";

const wordy = "-v=6";
const noLimit = "--failed-login-qps=0";

interface TlsServer {
  readonly url: string;
  readonly authority: string;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

/** HTTPS at loopback; ended with its test. `answer` gives a JSON body, undefined for 500. */
async function serveJson(
  t: TestContext,
  answer: (request: IncomingMessage, body: string, url: string) => object | undefined,
): Promise<TlsServer> {
  const authority = await issueAuthority("test", Date.now());
  const { certificate: cert, key } = await issueServing(authority, ["127.0.0.1"], Date.now());
  let port = 0;
  let url = "";
  const begin = async (): Promise<HttpsServer> => {
    const made = createServer({ cert, key }, async (request, response) => {
      let body = "";
      for await (const part of request) body += String(part);
      const told = answer(request, body, url);
      response.writeHead(told === undefined ? 500 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(told ?? {}));
    });
    made.listen(port, "127.0.0.1");
    await once(made, "listening");
    const address = made.address();
    assert.ok(typeof address === "object" && address !== null);
    port = address.port;
    url = `https://127.0.0.1:${port}`;
    return made;
  };
  let server = await begin();
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  t.after(stop);
  return {
    get url() {
      return url;
    },
    authority: authority.certificate,
    stop,
    async restart() {
      server = await begin();
    },
  };
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const compact = (header: object, claims: object, by: (input: string) => Buffer): string => {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${by(input).toString("base64url")}`;
};

interface OwnIssuer extends TlsServer {
  readonly publicKey: KeyObject;
  /** Signed with its key; claims and header beside those that make it good. */
  token(claims?: object, header?: object): string;
}

/** An issuer whose key the test holds: what it signs may be wrong in one thing alone. */
async function startOwnIssuer(t: TestContext): Promise<OwnIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk: JsonWebKey = publicKey.export({ format: "jwk" });
  const server = await serveJson(t, ({ url: path }, _body, url) =>
    path === "/keys" ? { keys: [{ ...jwk, kid: "own" }] } : { issuer: url, jwks_uri: `${url}/keys` },
  );
  return Object.assign(server, {
    publicKey,
    token: (claims: object = {}, header: object = {}): string => {
      const now = Math.floor(Date.now() / 1000);
      const good = { iss: server.url, aud: "orch", sub: "bob", exp: now + 600, iat: now };
      return compact({ alg: "RS256", kid: "own", ...header }, { ...good, ...claims }, (input) =>
        sign("sha256", Buffer.from(input), privateKey),
      );
    },
  });
}

async function startProvider(t: TestContext): Promise<OidcProvider> {
  const provider = await startOidcProvider({ audience: "orch", algorithm: "RS256" });
  t.after(() => provider.stop());
  return provider;
}

interface Issuing {
  readonly url: string;
  readonly authority: string;
}

const configuration = (fields: object): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "AuthenticationConfiguration", ...fields });

const issuerOf = ({ url, authority }: Issuing, audience = "orch", username = "sub"): object => ({
  issuer: { url, certificateAuthority: authority, audiences: [audience] },
  claimMappings: { username: { claim: username, prefix: "oidc:" }, groups: { claim: "groups", prefix: "oidc:" } },
});

const alice = { preferred_username: "alice", groups: ["dev", "ops"] };
const aliceShown = "oidc:alice [oidc:dev,oidc:ops,system:authenticated]";
const bobShown = "oidc:bob [system:authenticated]";

test("issuers by a file, which changes while requests are served", async (t) => {
  const [provider, own] = await Promise.all([startProvider(t), startOwnIssuer(t)]);
  const folder = await temporaryFolder(t);
  const path = join(folder, "authentication.json");
  const anonymous = { enabled: true, conditions: [{ path: "/livez" }, { path: "/healthz" }] };
  const ofAlice = (audience?: string): object => issuerOf(provider, audience, "preferred_username");
  const write = (jwt: readonly object[]): Promise<void> => writeWhole(path, configuration({ jwt, anonymous }));
  await write([ofAlice()]);
  const server = await startServer(t, { args: [`--authentication-config=${path}`, wordy, noLimit] });
  const witness = witnessOf(server);
  const becomes = (token: string, shown: string): Promise<unknown> =>
    until(shown, async () => ((await witness.who({ token })) === shown ? true : undefined));
  const reloads = async (status: string): Promise<number> => {
    const series = `apiserver_authentication_config_controller_automatic_reloads_total{status="${status}"}`;
    return server.metric(series).catch(() => 0);
  };

  await t.test("tokens of the provider are users with groups, those of others nobody", async () => {
    await becomes(await provider.token(alice), aliceShown);
    await witness.refuses({ token: own.token() }, "an issuer that is not in the file");
    await witness.refuses({ token: await provider.token({ groups: ["dev"] }) }, "no user's name");
  });

  await t.test("without credentials only the paths of the file are served", async () => {
    const rows = [
      ["/livez", 200],
      ["/healthz", 200],
      ["/readyz", 401],
      ["/livez/", 401],
      ["/livez/ping", 401],
      ["/LIVEZ", 401],
      ["//livez", 401],
      ["/%6civez", 401],
      ["/api/v1/namespaces", 401],
    ] as const;
    for (const [at, status] of rows) assert.equal((await witness.ask(at, { token: "" })).status, status, at);
    assert.equal((await witness.ask("/livez", { token: "wrong-wrong-wrong" })).status, 401, "a wrong token is none");
  });

  await t.test("a second issuer is added and the first's audience changes: no restart", async () => {
    const token = await provider.token(alice);
    assert.equal(await witness.who({ token }), aliceShown);
    await write([ofAlice("somebody-else"), issuerOf(own)]);
    await becomes(own.token(), bobShown);
    await witness.refuses({ token }, "the audience of before");
    assert.equal(await reloads("success"), 1);
    await write([ofAlice(), issuerOf(own)]);
    await becomes(token, aliceShown);
  });

  await t.test("what is wrong with a token is answered 401, and nothing is said of it", async () => {
    const now = Math.floor(Date.now() / 1000);
    const pem = own.publicKey.export({ type: "spki", format: "pem" }).toString();
    const hmacBy = (key: string | Buffer) => (input: string) => createHmac("sha256", key).update(input).digest();
    const claims = { iss: own.url, aud: "orch", sub: "bob", exp: now + 600, iat: now };
    const good = own.token();
    assert.equal(await witness.who({ token: good }), bobShown);
    const [header = "", payload = "", signature = ""] = good.split(".");
    const keySet = await fetchJsonOverHttps({ url: `${provider.url}/jwks`, ca: provider.authority, timeoutMs: 5_000 });
    const theirs = valueAt(keySet, "keys.0");
    assert.ok(typeof theirs === "object" && theirs !== null);
    const theirPem = createPublicKey({ key: { ...theirs }, format: "jwk" }).export({ type: "spki", format: "pem" });
    const stolen = await provider.token(alice);
    const bad: Readonly<Record<string, string>> = {
      "another issuer": own.token({ iss: "https://127.0.0.1:1" }),
      "the other issuer that is known": own.token({ iss: provider.url, preferred_username: "alice" }),
      "a slash behind the issuer": own.token({ iss: `${own.url}/` }),
      "a list of issuers": own.token({ iss: [own.url] }),
      "another audience": own.token({ aud: "other" }),
      "no audience": own.token({ aud: [] }),
      expired: own.token({ exp: now - 5 }),
      "no expiry": own.token({ exp: undefined }),
      "an expiry that is a text": own.token({ exp: String(now + 600) }),
      "not valid yet": own.token({ nbf: now + 600 }),
      "no user": own.token({ sub: "" }),
      "groups that are numbers": own.token({ groups: [1] }),
      "alg none": compact({ alg: "none" }, claims, () => Buffer.alloc(0)),
      "alg None": compact({ alg: "None", kid: "own" }, claims, () => Buffer.alloc(0)),
      "alg none, with a signature": `${part({ alg: "none" })}.${payload}.${signature}`,
      "HS256 by the public key": compact({ alg: "HS256", kid: "own" }, claims, hmacBy(pem)),
      "HS256 by the public key's DER": compact(
        { alg: "HS256", kid: "own" },
        claims,
        hmacBy(own.publicKey.export({ type: "spki", format: "der" })),
      ),
      "HS256 by the provider's key": compact(
        { alg: "HS256", kid: valueAt(theirs, "kid") },
        { ...claims, iss: provider.url, ...alice },
        hmacBy(theirPem.toString()),
      ),
      "RS256 signed as HS256": compact({ alg: "RS256", kid: "own" }, claims, hmacBy(pem)),
      "an unknown key": own.token({}, { kid: "other" }),
      "critical extensions": own.token({}, { crit: ["exp"] }),
      "its own key": own.token({}, { kid: "other", jwk: own.publicKey.export({ format: "jwk" }) }),
      "another's claims": `${header}.${part({ ...claims, sub: "root" })}.${signature}`,
      "no signature": `${header}.${payload}.`,
      "a cut signature": good.slice(0, -4),
      "padding behind it": `${good}==`,
      "the signature of another": stolen.replace(/[^.]*$/, signature),
      oversized: own.token({ more: "x".repeat(16 * 1024) }),
    };
    for (const [why, token] of Object.entries(bad)) await witness.refuses({ token }, why);
    assert.equal(await witness.who({ token: own.token() }), bobShown);
  });

  await t.test("a broken file keeps what was before, is told once and counted", async () => {
    const token = await provider.token(alice);
    const complaints = (): number => server.errors().split("changed files are no good").length - 1;
    const before = await reloads("success");
    await writeWhole(path, '{"kind": "AuthenticationConf');
    await until("the broken file is counted", async () => ((await reloads("failure")) === 1 ? true : undefined));
    // Two further looks at the same file say nothing, and tokens are good all the time.
    const looked = performance.now() + 2_200;
    await until("two further looks", async () => {
      assert.equal(await witness.who({ token }), aliceShown);
      return performance.now() > looked ? true : undefined;
    });
    await until("it is told", () => complaints() > 0 || undefined);
    assert.equal(complaints(), 1);
    await write([{ ...ofAlice(), claimMappings: { username: { expression: "claims.sub +" } } }]);
    await until("an expression is refused", async () => ((await reloads("failure")) === 2 ? true : undefined));
    const wrong = /claimMappings\.username\.expression: Invalid value: .{0,20}claims\.sub \+/;
    await until("and told", () => wrong.test(server.errors()) || undefined);
    assert.equal(await witness.who({ token }), aliceShown);
    assert.equal(await reloads("success"), before);
    await write([ofAlice()]);
    await until("a good file is taken", async () => ((await reloads("success")) === before + 1 ? true : undefined));
    await until("the second issuer is gone", async () =>
      (await witness.who({ token: own.token() })) === "401" ? true : undefined,
    );
  });

  await t.test("the provider goes away, and comes back with another key", async () => {
    const [old, unused] = [await provider.token(alice), await provider.token(alice)];
    assert.equal(await witness.who({ token: old }), aliceShown);
    await provider.stop();
    assert.equal(await witness.who({ token: unused }), aliceShown, "its keys are known");
    await provider.restartWithNewKey();
    const fresh = await provider.token(alice);
    await becomes(fresh, aliceShown);
    await witness.refuses({ token: old }, "a key that the issuer has taken back");
    await witness.refuses({ token: unused }, "a key that the issuer has taken back");
  });

  await t.test("no token stands anywhere (CVE-2019-11250)", () => witness.assertUntold());
});

test("an issuer by flags, which is not there at first", async (t) => {
  const provider = await startProvider(t);
  await provider.stop();
  const folder = await temporaryFolder(t);
  const authority = join(folder, "issuer.crt");
  await writeFile(authority, provider.authority);
  const server = await startServer(t, {
    args: [
      `--oidc-issuer-url=${provider.url}`,
      "--oidc-client-id=orch",
      `--oidc-ca-file=${authority}`,
      "--oidc-username-claim=preferred_username",
      "--oidc-groups-claim=groups",
      "--oidc-groups-prefix=g:",
      "--oidc-required-claim=hd=example.com,tier=gold",
      ...[wordy, noLimit],
    ],
  });
  const witness = witnessOf(server);
  await provider.restartWithNewKey();
  const token = await provider.token({ ...alice, hd: "example.com", tier: "gold" });
  await until("the provider is there", async () => ((await witness.who({ token })) === "401" ? undefined : true));
  assert.equal(await witness.who({ token }), `${provider.url}#alice [g:dev,g:ops,system:authenticated]`);
  await witness.refuses({ token: await provider.token({ ...alice, hd: "example.com" }) }, "a claim is missing");
  const wrong = await provider.token({ ...alice, hd: "example.com", tier: "tin" });
  await witness.refuses({ token: wrong }, "a claim is of another value");
  assert.equal((await witness.ask("/livez", { token: "" })).status, 200, "flags say nothing of who is anonymous");
  await witness.assertUntold();
});

test("what nobody can be known by is refused at the start", async (t) => {
  const folder = await temporaryFolder(t);
  const url = "https://issuer.example";
  const jwt = { issuer: { url, audiences: ["a"] }, claimMappings: { username: { claim: "sub", prefix: "" } } };
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const config = async (name: string, fields: object): Promise<string> =>
    `--authentication-config=${await file(`${name}.json`, configuration(fields))}`;
  const uncompiled = (field: string): RegExp => new RegExp(`${field}: Invalid value: .*compilation failed: ERROR:`);
  const expression = { expression: "true" };
  const good = await config("good", { jwt: [jwt] });
  const open = await config("open", { jwt: [jwt], anonymous: { enabled: true } });
  const rows: ReadonlyArray<readonly [args: readonly string[], said: RegExp]> = [
    [
      [
        await config("cel", {
          jwt: [
            {
              ...jwt,
              claimMappings: { username: { expression: "user.sub" } },
              userValidationRules: [expression],
              claimValidationRules: [expression],
            },
          ],
        }),
      ],
      uncompiled("jwt\\[0\\].claimMappings.username.expression"),
    ],
    [
      [good, "--oidc-issuer-url=https://a.example", "--oidc-client-id=a"],
      /authentication-config file and oidc-\* flags are mutually exclusive/,
    ],
    [[open, "--anonymous-auth=false"], /--anonymous-auth flag cannot be set when anonymous field is configured/],
    [["--oidc-client-id=a"], /oidc-issuer-url and oidc-client-id must be specified together/],
    [["--authentication-token-webhook-config-file=/nowhere"], /--authentication-token-webhook-config-file: .*/],
    [[`--token-auth-file=${await file("a.csv", "secret-1,ann\n")}`], /--token-auth-file: line 1: needs three columns/],
    [
      [`--token-auth-file=${await file("b.csv", "secret-1,ann,1\nsecret-1,bob,2\n")}`],
      /--token-auth-file: line 2: the token was given before/,
    ],
  ];
  const left = [...rows];
  const work = async (dataDir: string): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const [args, said] = row;
      const errors = await refusalToStart(t, join(folder, dataDir), args);
      assert.match(errors, said);
      assert.doesNotMatch(errors, /secret-1|\n\s+at /, "no token and no stack");
    }
  };
  await Promise.all([work("one"), work("two")]);
});

interface Review {
  readonly token: string;
  readonly audiences: unknown;
}

test("a webhook that knows tokens", async (t) => {
  const asked: Review[] = [];
  let known: Readonly<Record<string, object>> = {};
  const webhook = await serveJson(t, (_request, body) => {
    const review: unknown = JSON.parse(body);
    const token = String(valueAt(review, "spec.token"));
    asked.push({ token, audiences: valueAt(review, "spec.audiences") });
    const status = known[token] ?? { authenticated: false, error: `never heard of ${token}` };
    return { apiVersion: valueAt(review, "apiVersion"), kind: "TokenReview", status };
  });
  const folder = await temporaryFolder(t);
  const path = join(folder, "webhook.json");
  const cluster = { server: `${webhook.url}/review`, "certificate-authority-data": base64(webhook.authority) };
  await writeFile(
    path,
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "w" },
      clusters: [{ name: "w", cluster }],
      users: [{ name: "w", user: {} }],
      contexts: [{ name: "w", context: { cluster: "w", user: "w" } }],
    }),
  );
  const server = await startServer(t, {
    args: [
      `--authentication-token-webhook-config-file=${path}`,
      "--authentication-token-webhook-version=v1",
      "--authentication-token-webhook-cache-ttl=2s",
      "--api-audiences=orch,orch-too",
      ...[wordy, noLimit],
    ],
  });
  const witness = witnessOf(server);
  const times = (token: string): number => asked.filter((each) => each.token === token).length;
  const user = { username: "carol", uid: "7", groups: ["dev"], extra: { scopes: ["read"] } };
  const good = { authenticated: true, user, audiences: ["orch"] };
  known = {
    "good-token-1": good,
    "good-token-2": good,
    "good-token-3": good,
    "token-for-others": { ...good, audiences: ["others"] },
    "token-for-whom": { authenticated: true, user },
    "token-of-nobody": { authenticated: true, user: {} },
  };
  const shown = "carol [dev,system:authenticated]";

  await t.test("says whose a token is, and is asked once in the time of the cache", async () => {
    const first = performance.now();
    for (let i = 0; i < 5; i++) assert.equal(await witness.who({ token: "good-token-1" }), shown);
    if (performance.now() - first < 1_900) assert.equal(times("good-token-1"), 1);
    assert.deepEqual(asked[0]?.audiences, ["orch", "orch-too"]);
    const told = await witness.user({ token: "good-token-1" });
    assert.deepEqual(valueAt(told, "extra.scopes"), ["read"]);
    assert.equal(valueAt(told, "uid"), "7");
    const before = times("good-token-1");
    known = { ...known, "good-token-1": { authenticated: false } };
    await until("the webhook's change is seen", async () =>
      (await witness.who({ token: "good-token-1" })) === "401" ? true : undefined,
    );
    assert.ok(performance.now() - first >= 1_900, "and not before");
    assert.equal(times("good-token-1"), before + 1);
  });

  await t.test("its users are for the audiences that it says", async () => {
    await witness.refuses({ token: "token-for-others" }, "other audiences");
    await witness.refuses({ token: "token-of-nobody" }, "no user");
    await witness.refuses({ token: "unknown-token-1" }, "an unknown token");
    assert.equal(await witness.who({ token: "token-for-whom" }), shown);
    assert.equal(await witness.who({}), "admin [system:masters,system:authenticated]", "others know theirs");
  });

  await t.test("while it is away nobody is let in, afterwards as before", async () => {
    await webhook.stop();
    await witness.refuses({ token: "good-token-2" }, "an outage");
    await webhook.restart();
    assert.equal(await witness.who({ token: "good-token-2" }), shown, "an outage is not remembered");
    await until(
      "the outage is told",
      () => /trouble with a webhook of authentication/.test(server.errors()) || undefined,
    );
  });

  await t.test("no token stands anywhere (CVE-2019-11250)", () => witness.assertUntold());
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");
