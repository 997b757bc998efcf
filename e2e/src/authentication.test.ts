import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { Agent } from "node:https";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { issueAuthority, issueClient, issueServing } from "@orch/pki/certificates.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { WebSocket } from "ws";
import { type Ask, type Server, startServer, temporaryFolder } from "./command-line-program.js";
import { valueAt } from "./harness/http.js";
import { until } from "./harness/until.js";
import { type Witness, witnessOf } from "./harness/who.js";
import { writeWhole } from "./harness/whole-file.js";

const day = 24 * 3600 * 1000;
const now = Date.now();
const everyone = "system:authenticated";
const json = { "Content-Type": "application/json" };
const visitor = "visitor-token-that-is-good";
const visitorShown = `visitor [guests,${everyone}]`;

interface World {
  readonly server: Server;
  readonly witness: Witness;
  readonly clients: KeyPair;
  readonly proxies: KeyPair;
  /** Writes the bundle of `--client-ca-file`. */
  trust(text: string): Promise<void>;
}

async function startWorld(t: TestContext, args: readonly string[]): Promise<World> {
  const [clients, proxies] = await Promise.all([issueAuthority("cluster-ca", now), issueAuthority("cluster-ca", now)]);
  const folder = await temporaryFolder(t);
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const server = await startServer(t, {
    args: [
      `--client-ca-file=${await file("clients.crt", clients.certificate)}`,
      `--requestheader-client-ca-file=${await file("proxies.crt", proxies.certificate)}`,
      "--requestheader-allowed-names=front-proxy",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-uid-headers=X-Remote-Uid",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      "--enable-bootstrap-token-auth",
      `--token-auth-file=${await file("tokens.csv", `${visitor},visitor,7,guests\n`)}`,
      "-v=6",
      ...args,
    ],
  });
  const trust = (text: string): Promise<void> => writeWhole(join(folder, "clients.crt"), text);
  return { server, witness: witnessOf(server), clients, proxies, trust };
}

const chained = (leaf: KeyPair, ...above: readonly KeyPair[]): KeyPair => ({
  certificate: [leaf, ...above].map(({ certificate }) => certificate).join(""),
  key: leaf.key,
});

async function create(server: Server, path: string, body: object): Promise<void> {
  const answer = await server.ask(path, { method: "POST", headers: json, body: JSON.stringify(body) });
  assert.equal(answer.status, 201, answer.body);
}

test("who is who by certificates, proxies, bootstrap tokens and impersonation", async (t) => {
  const world = await startWorld(t, ["--failed-login-qps=0"]);
  await t.test("a front proxy's headers make the user", () => proxyMakesUsers(world));
  await t.test("the same headers from anybody else say nothing", () => headersOfOthers(world));
  await t.test("client certificates: their time, purpose and chain", () => clientCertificates(world));
  await t.test("authorities of clients come and go without a restart", (one) => authorityReload(one, world));
  await t.test("bootstrap tokens are Secrets", () => bootstrapTokens(world));
  await t.test("impersonation is each part's right", () => impersonationRights(world));
  await t.test("impersonation over HTTP/2", (one) => impersonationOverHttp2(one, world));
  await t.test("impersonation of a watch over WebSocket", (one) => impersonationOverWebSocket(one, world));
  await t.test("nobody has to wait where failed logins are not counted", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const wrong = Array.from({ length: 150 }, () => world.witness.who({ token: "a-token-that-is-wrong", agent }));
    assert.deepEqual(new Set(await Promise.all(wrong)), new Set(["401"]));
    assert.equal(await world.witness.who({ token: visitor, agent }), visitorShown);
    agent.destroy();
  });
  await t.test("no secret stands anywhere (CVE-2019-11250)", async () => {
    const { witness } = world;
    const basic = Buffer.from(`ann:${witness.secret("a-pass-word-of-ann")}`).toString("base64");
    for (const scheme of ["Basic", "Digest", "Negotiate", "Bearer,"]) {
      const headers = { Authorization: `${scheme} ${witness.secret(basic)}` };
      assert.equal(await witness.who({ token: "", headers }), "403", `${scheme}: nobody, not somebody`);
    }
    await witness.assertUntold();
  });
});

/** What a proxy says of ann. */
const remote = {
  "X-Remote-User": "ann",
  "X-Remote-Uid": "7",
  "X-Remote-Group": ["dev", "ops, too"],
  "X-Remote-Extra-Acme.com%2fScope": ["read", "write"],
};
const noToken: Ask = { token: "" };

async function proxyMakesUsers({ witness, proxies }: World): Promise<void> {
  const pair = await issueClient(proxies, { name: "front-proxy" }, now);
  assert.deepEqual(await witness.user({ ...noToken, pair, headers: remote }), {
    username: "ann",
    uid: "7",
    groups: ["dev", "ops, too", everyone],
    extra: { "acme.com/scope": ["read", "write"] },
  });
  const named = (name: string): Ask => ({ ...noToken, pair, headers: { "X-Remote-User": name } });
  assert.equal(await witness.who(named("Jürgen")), "401", "Latin 1 is no UTF-8");
  assert.equal(await witness.who(named(Buffer.from("Jürgen", "utf8").toString("latin1"))), `Jürgen [${everyone}]`);
  const both: Ask = { token: visitor, pair, headers: remote };
  assert.equal(await witness.who(both), `ann [dev,ops, too,${everyone}]`, "the proxy counts before a token");
  assert.equal(await witness.who({ token: visitor, pair }), visitorShown, "a token that the proxy passes on");
  const impersonating = { ...remote, "Impersonate-User": "admin" };
  assert.equal(await witness.who({ ...noToken, pair, headers: impersonating }), "403");
  await witness.refuses({ ...noToken, pair }, "a proxy that tells nobody");
  await witness.refuses(named(""), "a proxy that tells an empty name");
  await witness.refuses({ ...noToken, pair, headers: { "X-Remote-Group": "system:masters" } }, "a group of nobody");
  await witness.refuses({ ...noToken, pair, headers: { X_Remote_User: "ann" } }, "a name that is spelled otherwise");
}

async function headersOfOthers({ witness, clients, proxies }: World): Promise<void> {
  const foreign = await issueAuthority("cluster-ca", now);
  const named = (by: KeyPair, name: string, at = now): Promise<KeyPair> => issueClient(by, { name }, at);
  const headers = { ...remote, "X-Remote-Group": ["system:masters"] };
  const asClient = await named(clients, "front-proxy");
  assert.equal(await witness.who({ ...noToken, pair: asClient, headers }), `front-proxy [${everyone}]`);
  assert.equal(await witness.who({ token: visitor, headers }), visitorShown);
  assert.equal(await witness.who({ ...noToken, headers }), "403", "anonymous stays anonymous");
  await witness.refuses({ ...noToken, headers, pair: await named(proxies, "somebody") }, "a name that is not allowed");
  await witness.refuses({ ...noToken, headers, pair: await named(foreign, "front-proxy") }, "a foreign authority");
  const expired = await named(proxies, "front-proxy", now - 400 * day);
  await witness.refuses({ ...noToken, headers, pair: expired }, "an expired proxy");
  const serving = await issueServing(proxies, ["front-proxy"], now);
  await witness.refuses({ ...noToken, headers, pair: serving }, "a serving certificate");
  // A chain may carry anything: only what signed the leaf counts.
  const withProxies = chained(asClient, proxies);
  assert.equal(await witness.who({ ...noToken, pair: withProxies, headers }), `front-proxy [${everyone}]`);
}

async function clientCertificates({ witness, clients, proxies }: World): Promise<void> {
  const masters = { name: "root", groups: ["system:masters"] };
  const alice = await issueClient(clients, { name: "alice", groups: ["dev"] }, now);
  const aliceShown = `alice [dev,${everyone}]`;
  assert.equal(await witness.who({ ...noToken, pair: alice }), aliceShown);
  assert.equal(await witness.who({ token: visitor, pair: alice }), aliceShown, "a certificate counts before a token");
  const between = await issueAuthority("between", now, clients);
  const below = await issueClient(between, { name: "carol" }, now);
  assert.equal(await witness.who({ ...noToken, pair: chained(below, between) }), `carol [${everyone}]`);
  const foreign = await issueAuthority("cluster-ca", now);
  const bad: Readonly<Record<string, KeyPair>> = {
    expired: await issueClient(clients, masters, now - 400 * day),
    "not valid yet": await issueClient(clients, masters, now + day),
    "for servers": await issueServing(clients, ["root"], now),
    "without its intermediate": below,
    "of a foreign authority of the same name": await issueClient(foreign, masters, now),
    "of a foreign authority, with the right one behind": chained(await issueClient(foreign, masters, now), clients),
    "of the proxies": await issueClient(proxies, masters, now),
    "signed by a client": chained(await issueClient(alice, masters, now), alice),
  };
  for (const [why, pair] of Object.entries(bad)) await witness.refuses({ ...noToken, pair }, why);
  const expired = bad["expired"];
  assert.ok(expired !== undefined);
  assert.equal(await witness.who({ token: visitor, pair: expired }), visitorShown, "a good token counts beside it");
}

/** One connection that stays, and its port at this end. */
function liveConnection(t: TestContext): { readonly agent: Agent; port(): number | undefined } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  // A moment after an answer its connection is not free yet.
  const sockets = () =>
    [agent.freeSockets, agent.sockets].flatMap((by) => Object.values(by).flatMap((some) => some ?? []));
  return { agent, port: () => sockets()[0]?.localPort };
}

async function authorityReload(t: TestContext, { server, witness, clients, trust }: World): Promise<void> {
  const second = await issueAuthority("cluster-ca", now);
  const pair = await issueClient(second, { name: "dora" }, now);
  const old = await issueClient(clients, { name: "alice" }, now);
  const shown = `dora [${everyone}]`;
  const becomes = (ask: Ask, expected: string, what: string): Promise<unknown> =>
    until(what, async () => ((await witness.who({ ...noToken, ...ask })) === expected ? true : undefined));
  await witness.refuses({ ...noToken, pair }, "an authority that is not there yet");
  await trust(clients.certificate + second.certificate);
  await becomes({ pair }, shown, "the second authority is known");
  assert.equal(await witness.who({ ...noToken, pair: old }), `alice [${everyone}]`);

  const live = liveConnection(t);
  const stays = liveConnection(t);
  assert.equal(await witness.who({ ...noToken, pair, agent: live.agent }), shown);
  assert.equal(await witness.who({ ...noToken, pair: old, agent: stays.agent }), `alice [${everyone}]`);
  const port = live.port();
  assert.ok(port !== undefined);
  await trust("-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n");
  await until("the broken bundle is told", () =>
    /clients\.crt.*are no good/.test(server.errors()) ? true : undefined,
  );
  assert.equal(await witness.who({ ...noToken, pair, agent: live.agent }), shown, "a broken bundle changes nothing");
  await trust(clients.certificate);
  await becomes({ pair, agent: live.agent }, "401", "the connection's authority is gone");
  assert.equal(live.port(), port, "it is the same connection");
  await becomes({ pair }, "401", "and new ones are refused");
  assert.equal(await witness.who({ ...noToken, pair: old, agent: stays.agent }), `alice [${everyone}]`);
}

const system = "/api/v1/namespaces/kube-system/secrets";
const far = "2999-01-01T00:00:00Z";

async function bootstrapTokens({ server, witness }: World): Promise<void> {
  const secret = "0123456789abcdef";
  const make = async (id: string, data: object = {}, more: object = {}): Promise<string> => {
    const { path, ...rest } = { path: system, ...more };
    await create(server, path, {
      metadata: { name: `bootstrap-token-${id}` },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        ...{ "token-id": id, "token-secret": secret, "usage-bootstrap-authentication": "true" },
        ...{ "auth-extra-groups": "system:bootstrappers:workers" },
        ...data,
      },
      ...rest,
    });
    return `${id}.${secret}`;
  };
  const shown = (id: string): string =>
    `system:bootstrap:${id} [system:bootstrappers,system:bootstrappers:workers,${everyone}]`;
  const becomes = (token: string, expected: string): Promise<unknown> =>
    until(`${token} is ${expected}`, async () => ((await witness.who({ token })) === expected ? true : undefined));

  const soon = new Date(Date.now() + 2_500).toISOString().replace(/\.\d+/, "");
  const expiring = await make("exp1re", { expiration: soon });
  const bad: Readonly<Record<string, string>> = {
    expired: await make("aaaaa1", { expiration: "2020-01-01T00:00:00Z" }),
    "an expiry that is none": await make("aaaaa2", { expiration: "tomorrow" }),
    "its use is off": await make("aaaaa3", { "usage-bootstrap-authentication": "false" }),
    "its use is not said": await make("aaaaa4", { "usage-bootstrap-authentication": "" }),
    "another id inside": await make("aaaaa5", { "token-id": "aaaaa6" }),
    "another type": await make("aaaaa7", {}, { type: "Opaque" }),
    "another namespace": await make("aaaaa8", {}, { path: "/api/v1/namespaces/default/secrets" }),
    "a group of others": await make("aaaaa9", { "auth-extra-groups": "system:masters" }),
    "no secret": await make("aaaab1", { "token-secret": "" }),
  };
  const good = await make("abcdef", { expiration: far });
  await becomes(good, shown("abcdef"));
  for (const [why, token] of Object.entries(bad)) await witness.refuses({ token }, why);
  for (const wrong of ["abcdef.0123456789abcdee", "abcdef.0123456789abcde", "abcdef.", "ABCDEF.0123456789abcdef"])
    await witness.refuses({ token: wrong }, wrong);
  await becomes(expiring, "401");
  assert.equal((await server.ask(`${system}/bootstrap-token-abcdef`, { method: "DELETE" })).status, 200);
  await becomes(good, "401");
}

const rbac = "/apis/rbac.authorization.k8s.io/v1";

/** A ClusterRole with these rules for one user. */
async function give(server: Server, user: string, rules: readonly object[]): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = { name: `of-${user}` };
  await create(server, `${rbac}/clusterroles`, { metadata, rules });
  await create(server, `${rbac}/clusterrolebindings`, {
    metadata,
    roleRef: { apiGroup, kind: "ClusterRole", name: metadata.name },
    subjects: [{ apiGroup, kind: "User", name: user }],
  });
}

const asAnn = {
  "Impersonate-User": "ann",
  "Impersonate-Group": ["dev", "ops, too"],
  "Impersonate-Uid": "7",
  "Impersonate-Extra-Acme.com%2fScope": ["read", "write"],
};
const ann = {
  username: "ann",
  uid: "7",
  groups: ["dev", "ops, too", everyone],
  extra: { "acme.com/scope": ["read", "write"] },
};

async function impersonationRights({ server, witness }: World): Promise<void> {
  assert.deepEqual(await witness.user({ headers: asAnn }), ann);
  const account = { "Impersonate-User": "system:serviceaccount:default:app" };
  const accountGroups = `system:serviceaccounts,system:serviceaccounts:default,${everyone}`;
  assert.equal(await witness.who({ headers: account }), `system:serviceaccount:default:app [${accountGroups}]`);
  for (const headers of [asAnn, account, { "Impersonate-User": "visitor" }]) {
    assert.equal(await witness.who({ token: visitor, headers }), "403", "without a right");
  }
  assert.equal(await witness.who({ ...noToken, headers: asAnn }), "403", "anonymous is nobody else");

  const authentication = "authentication.k8s.io";
  await give(server, "visitor", [
    { verbs: ["impersonate"], apiGroups: [""], resources: ["users"], resourceNames: ["ann"] },
    { verbs: ["impersonate"], apiGroups: [""], resources: ["groups"], resourceNames: ["dev"] },
    { verbs: ["impersonate"], apiGroups: [authentication], resources: ["uids"], resourceNames: ["7"] },
    {
      verbs: ["impersonate"],
      apiGroups: [authentication],
      resources: ["userextras/acme.com/scope"],
      resourceNames: ["read"],
    },
  ]);
  const who = (headers: Ask["headers"]): Promise<string> =>
    witness.who({ token: visitor, ...(headers === undefined ? {} : { headers }) });
  const user = { "Impersonate-User": "ann" };
  const shown = `ann [${everyone}]`;
  await until("the right holds", async () => ((await who(user)) === shown ? true : undefined));
  const rows: ReadonlyArray<readonly [headers: Ask["headers"], expected: string]> = [
    [{ ...user, "Impersonate-Group": "dev" }, `ann [dev,${everyone}]`],
    [{ ...user, "Impersonate-Uid": "7" }, shown],
    [{ ...user, "Impersonate-Extra-Acme.com%2fScope": "read" }, shown],
    [{ ...user, "Impersonate-Extra-%61cme.com%2Fscope": "read" }, shown],
    [{ "Impersonate-User": "bob" }, "403"],
    [{ "Impersonate-User": "system:admin" }, "403"],
    [account, "403"],
    [{ ...user, "Impersonate-Group": "system:masters" }, "403"],
    [{ ...user, "Impersonate-Group": ["dev", "system:masters"] }, "403"],
    [{ ...user, "Impersonate-Group": "dev, system:masters" }, "403"],
    [{ ...user, "impersonate-group": "system:masters" }, "403"],
    [{ ...user, "Impersonate-Uid": "8" }, "403"],
    [{ ...user, "Impersonate-Extra-Acme.com%2fScope": ["read", "write"] }, "403"],
    [{ ...user, "Impersonate-Extra-Acme.com%2fScope": "read", "Impersonate-Extra-%61cme.com%2Fscope": "write" }, "403"],
    [{ ...user, "Impersonate-Extra-Other": "read" }, "403"],
    [{ ...user, "Impersonate-Extra-__proto__": "read" }, "403"],
    [{ ...user, "Impersonate-Extra-constructor": "read" }, "403"],
    [{ ...user, ["__proto__"]: "x" }, shown],
    [{ "Impersonate-Group": "dev" }, "400"],
    [{ "Impersonate-User": "", "Impersonate-Group": "system:masters" }, "400"],
  ];
  for (const [headers, expected] of rows) assert.equal(await who(headers), expected, JSON.stringify(headers));
  const refused = await witness.ask("/api", { token: visitor, headers: { "Impersonate-User": "bob" } });
  assert.equal(
    valueAt(JSON.parse(refused.body), "message"),
    'users "bob" is forbidden: User "visitor" cannot impersonate resource "users" in API group "" at the cluster scope',
  );
}

async function impersonationOverHttp2(t: TestContext, { server, witness }: World): Promise<void> {
  const session = connectHttp2(server.url, { ca: server.ca });
  t.after(() => session.destroy());
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  const ask = async (token: string, headers: Readonly<Record<string, string | string[]>>): Promise<unknown> => {
    const stream = session.request({
      ...{ ":method": "POST", ":path": "/apis/authentication.k8s.io/v1/selfsubjectreviews" },
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...headers,
    });
    stream.end(body);
    let text = "";
    for await (const part of stream) text += String(part);
    return JSON.parse(text);
  };
  assert.deepEqual(valueAt(await ask(server.token, asAnn), "status.userInfo"), ann);
  const dev = { "impersonate-user": "ann", "impersonate-group": ["dev"] };
  assert.deepEqual(valueAt(await ask(visitor, dev), "status.userInfo.groups"), ["dev", everyone]);
  const masters = { ...dev, "impersonate-group": ["dev", "system:masters"] };
  assert.equal(valueAt(await ask(visitor, masters), "code"), 403);
  assert.equal(valueAt(await ask(witness.secret("a-wrong-token-by-http2"), asAnn), "code"), 401);
}

async function impersonationOverWebSocket(t: TestContext, { server, witness }: World): Promise<void> {
  await give(server, "ann", [{ verbs: ["list", "watch"], apiGroups: [""], resources: ["configmaps"] }]);
  const path = "/api/v1/namespaces/default/configmaps";
  const user = { "Impersonate-User": "ann" };
  await until("ann may watch", async () =>
    (await server.ask(path, { headers: user })).status === 200 ? true : undefined,
  );
  await create(server, path, { metadata: { name: "seen" } });
  const dial = async (token: string, headers: Readonly<Record<string, string>>, protocols: string[] = []) => {
    const socket = new WebSocket(`${server.url.replace("https:", "wss:")}${path}?watch=1`, protocols, {
      ca: server.ca,
      headers: { ...(token === "" ? {} : { Authorization: `Bearer ${token}` }), ...headers },
    });
    socket.on("error", () => {});
    t.after(() => socket.terminate());
    return await new Promise<string>((resolve) => {
      socket.once("unexpected-response", (_request, response) => resolve(String(response.statusCode)));
      socket.once("message", (data: Buffer) => resolve(String(valueAt(JSON.parse(data.toString()), "object.kind"))));
    });
  };
  assert.equal(await dial(server.token, user), "ConfigMap");
  assert.equal(await dial(visitor, user), "ConfigMap", "who may be ann");
  assert.equal(await dial(visitor, {}), "403", "and nothing by itself");
  assert.equal(await dial(server.token, { "Impersonate-User": "bob" }), "403", "bob may not watch");
  assert.equal(await dial(visitor, { ...user, "Impersonate-Group": "system:masters" }), "403");
  assert.equal(await dial(visitor, { "Impersonate-User": "admin" }), "403");
  const protocol = (token: string): string[] => {
    const encoded = Buffer.from(witness.secret(token)).toString("base64url");
    return [`base64url.bearer.authorization.k8s.io.${witness.secret(encoded)}`, "base64.binary.k8s.io"];
  };
  assert.equal(await dial("", {}, protocol("a-wrong-token-by-protocol")), "401");
  assert.equal(await dial("", { "Impersonate-User": "admin" }, protocol(visitor)), "403");
}

test("who fails too often has to wait", async (t) => {
  const { witness, clients } = await startWorld(t, ["--failed-login-qps=1", "--failed-login-burst=5"]);
  const wrong = { token: "a-token-that-is-wrong" };
  const pair = await issueClient(clients, { name: "alice" }, now);
  for (let i = 0; i < 5; i++) assert.equal(await witness.who(wrong), "401", `${i}`);
  const waiting = await until("the address has to wait", async () => {
    const answer = await witness.ask("/api", wrong);
    return answer.status === 429 ? answer : undefined;
  });
  assert.equal(waiting.headers["retry-after"], "1");
  assert.deepEqual(
    ["reason", "code", "details.retryAfterSeconds"].map((at) => valueAt(JSON.parse(waiting.body), at)),
    ["TooManyRequests", 429, 1],
  );
  // The address is forgiven one failure a second: then a good token is looked at, and known from there on.
  await until("a good token is let in", async () =>
    (await witness.who({ token: visitor })) === visitorShown ? true : undefined,
  );
  const flood = await until("wrong ones wait again", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => witness.who(wrong)));
    return answers.includes("429") ? answers : undefined;
  });
  assert.ok(flood.every((answer) => answer === "401" || answer === "429"));
  assert.equal(await witness.who({ token: visitor }), visitorShown, "which holds up nobody who is known");
  assert.equal(await witness.who({ token: "", pair }), `alice [${everyone}]`, "nor a certificate");
  assert.equal((await witness.ask("/livez", { token: "" })).status, 200);
  const elsewhere = new Agent({ localAddress: "127.0.0.2" });
  t.after(() => elsewhere.destroy());
  assert.equal(await witness.who({ token: visitor, agent: elsewhere }), visitorShown, "another address is free");
  await until("the address may fail again", async () => ((await witness.who(wrong)) === "401" ? true : undefined));
  await witness.assertUntold();
});
