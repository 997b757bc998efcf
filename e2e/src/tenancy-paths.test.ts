import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { type Answer, type Credentials, connect, type Http } from "./harness/http.js";
import { assertFailure, done } from "./harness/status.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const group = "rbac.authorization.k8s.io";
const rbac = `/apis/${group}/v1`;
const secret = "hidden-from-tenants";

let target: StandaloneTarget;
let http: Http;

const user = (name: string): Credentials => ({ type: "user", name });
const tenant = user("tenant");

async function give(who: string, namespace: string, rules: readonly object[]): Promise<void> {
  const base = `${rbac}/namespaces/${namespace}`;
  await done(http.post(`${base}/roles`, { metadata: { name: who }, rules }));
  const roleRef = { apiGroup: group, kind: "Role", name: who };
  const subjects = [{ apiGroup: group, kind: "User", name: who }];
  await done(http.post(`${base}/rolebindings`, { metadata: { name: who }, roleRef, subjects }));
}

before(async () => {
  target = await startStandalone();
  http = connect(target);
  for (const name of ["mine", "theirs"]) {
    await done(http.post("/api/v1/namespaces", { metadata: { name } }));
    const data = { stringData: { value: name === "theirs" ? secret : "own" } };
    await done(http.post(`/api/v1/namespaces/${name}/secrets`, { metadata: { name: "s" }, ...data }));
  }
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { replicas: 0, selector: { matchLabels: { a: "b" } }, template };
  await done(http.post("/apis/apps/v1/namespaces/mine/deployments", { metadata: { name: "d" }, spec }));
  await give("tenant", "mine", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]);
  await give("lister", "mine", [{ apiGroups: [""], resources: ["secrets"], verbs: ["list"] }]);
  await give("logger", "mine", [{ apiGroups: [""], resources: ["pods/log"], verbs: ["get"] }]);
  await give("scaler", "mine", [{ apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["get"] }]);
  await until("the roles hold", async () => {
    const { status } = await http.call({
      path: "/apis/apps/v1/namespaces/mine/deployments/d/scale",
      as: user("scaler"),
    });
    return status === 200 ? true : undefined;
  });
});
after(async () => {
  http?.close();
  await target?.stop();
});

const refusals = [400, 403, 404, 405, 406, 414, 501];

function assertRefused(answer: Answer, what: string): void {
  assert.ok(refusals.includes(answer.status), `${what}: ${answer.status} ${answer.text}`);
  assertNotShown(answer, what);
}

/** Lists carry the store's revision, which anybody's write moves between two of them. */
const shown = (answer: Answer): unknown => answer.at("items") ?? answer.json();

const assertNotShown = ({ text }: Answer, what: string): void =>
  assert.equal(text.includes(Buffer.from(secret).toString("base64")), false, what);

/**
 * Ways to write a path that other programs take for the same one, or for another. `same`: it is the plain one here too,
 * for whoever may; `events`: the deprecated path of watches.
 */
const tricks: readonly (readonly [what: string, write: (path: string) => string, is: "nothing" | "same" | "events"])[] =
  [
    ["two slashes in the middle", (path) => path.replace("/secrets", "//secrets"), "nothing"],
    ["two slashes at the start", (path) => `/${path}`, "nothing"],
    ["a slash at the end", (path) => `${path}/`, "same"],
    ["two slashes at the end", (path) => `${path}//`, "nothing"],
    ["a dot", (path) => path.replace("/secrets", "/./secrets"), "nothing"],
    ["an encoded dot", (path) => path.replace("/secrets", "/%2e/secrets"), "nothing"],
    ["a way up", (path) => path.replace("/namespaces/", "/namespaces/mine/../"), "nothing"],
    ["an encoded way up", (path) => path.replace("/namespaces/", "/namespaces/mine/%2e%2e/"), "nothing"],
    ["a half encoded way up", (path) => path.replace("/namespaces/", "/namespaces/mine/.%2E/"), "nothing"],
    ["an encoded slash", (path) => path.replace("/secrets", "%2fsecrets"), "nothing"],
    ["an encoded slash of two", (path) => path.replace("/secrets", "/%2Fsecrets"), "nothing"],
    ["an encoded letter", (path) => path.replace("/secrets", "/%73ecrets"), "same"],
    ["a letter encoded twice", (path) => path.replace("/secrets", "/%2573ecrets"), "nothing"],
    ["capital letters of the kind", (path) => path.replace("/secrets", "/Secrets"), "nothing"],
    [
      "capital letters of the namespace",
      (path) => path.replace(/mine|theirs/, (name) => name.toUpperCase()),
      "nothing",
    ],
    ["capital letters of the root", (path) => path.replace("/api/", "/API/"), "nothing"],
    ["the singular", (path) => path.replace("/secrets", "/secret"), "nothing"],
    ["parameters of a part", (path) => path.replace("/secrets", "/secrets;a=b"), "nothing"],
    ["parameters of the namespace", (path) => path.replace("/secrets", ";x/secrets"), "nothing"],
    ["parameters at the end", (path) => `${path};a=b`, "nothing"],
    ["a backslash", (path) => path.replace("/secrets", "\\secrets"), "nothing"],
    ["a zero byte", (path) => `${path}%00`, "nothing"],
    ["a newline", (path) => `${path}%0a`, "nothing"],
    ["a blank", (path) => `${path}%20`, "nothing"],
    ["bytes that are no text", (path) => `${path}%ff`, "nothing"],
    ["an overlong slash", (path) => path.replace("/secrets", "%c0%afsecrets"), "nothing"],
    ["half an escape", (path) => `${path}%2`, "nothing"],
    ["an encoded fragment", (path) => `${path}%23`, "nothing"],
    ["an encoded query", (path) => `${path}%3fa=b`, "nothing"],
    ["another's address", (path) => `https://127.0.0.1:1${path}`, "same"],
    ["the old form of watches", (path) => path.replace("/api/v1/", "/api/v1/watch/"), "events"],
    ["the old form of proxies", (path) => path.replace("/api/v1/", "/api/v1/proxy/"), "nothing"],
  ];

for (const [what, write, is] of tricks) {
  test(`a path with ${what} is ${is === "nothing" ? "refused" : "the plain one"}, and never another's`, async () => {
    for (const rest of ["secrets", "secrets/s"]) {
      const own = `/api/v1/namespaces/mine/${rest}`;
      const query = { timeoutSeconds: 1, resourceVersion: "0" };
      const [plain, odd, stolen, nobody] = await Promise.all([
        http.call({ path: own, as: tenant }),
        http.call({ path: write(own), query, as: tenant }),
        http.call({ path: write(`/api/v1/namespaces/theirs/${rest}`), query, as: tenant }),
        http.call({ path: write(own), query, as: { type: "anonymous" } }),
      ]);
      assert.equal(plain.status, 200);
      assertRefused(stolen, `${rest} of others`);
      assertRefused(nobody, `${rest} for nobody`);
      if (is === "nothing") assertRefused(odd, rest);
      else assert.equal(odd.status, 200, odd.text);
      if (is === "same") assert.deepEqual(shown(odd), shown(plain), rest);
      assertNotShown(odd, rest);
    }
  });
}

test("namespaces/<n>/ is the namespace or nothing, never a list over all", async () => {
  const rights = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["get"] }];
  await give("getter", "mine", rights);
  await until("the role holds", async () => {
    const { status } = await http.call({ path: "/api/v1/namespaces/mine", as: user("getter") });
    return status === 200 ? true : undefined;
  });
  const plain = await http.call({ path: "/api/v1/namespaces/mine", as: user("getter") });
  for (const path of ["/api/v1/namespaces/mine/", "/api/v1/namespaces//mine", "/api/v1/namespaces/mine/."]) {
    const odd = await http.call({ path, as: user("getter") });
    if (odd.status === 200) assert.deepEqual(odd.json(), plain.json(), path);
    else assertRefused(odd, path);
  }
  for (const path of [
    "/api/v1/namespaces",
    "/api/v1/namespaces/",
    "/api/v1/namespaces/theirs/",
    "/api/v1/namespaces//secrets",
  ]) {
    assertRefused(await http.call({ path, as: user("getter") }), path);
    if (path.endsWith("s/")) assertRefused(await http.call({ path, method: "DELETE", as: user("getter") }), path);
  }
});

test("a right on a subresource is one on that alone, however the path is written", async () => {
  const pods = "/api/v1/namespaces/mine/pods";
  const deployments = "/apis/apps/v1/namespaces/mine/deployments";
  const allowed = await http.call({ path: `${deployments}/d/scale`, as: user("scaler") });
  assert.equal(allowed.at("kind"), "Scale");
  assert.notEqual((await http.call({ path: `${pods}/p/log`, as: user("logger") })).status, 403);
  const rows: readonly (readonly [who: string, path: string])[] = [
    ["logger", `${pods}/p`],
    ["logger", pods],
    ["logger", `${pods}/p%2flog`],
    ["logger", `${pods}/p%2Flog`],
    ["logger", `${pods}/p/log/..`],
    ["logger", `${pods}/p/LOG`],
    ["logger", `${pods}/p/exec`],
    ["logger", `${pods}/log`],
    ["logger", `${pods}/p/log%2f../exec`],
    ["logger", "/api/v1/namespaces/theirs/pods/p/log"],
    ["scaler", `${deployments}/d`],
    ["scaler", `${deployments}/d/status`],
    ["scaler", `${deployments}/d%2fscale`],
    ["scaler", `${deployments}/d/scale/..`],
    ["scaler", `${deployments}/d/scale/../status`],
    ["scaler", `${deployments}/d/scale/x`],
    ["scaler", `${deployments}/scale`],
    ["scaler", "/apis/apps/v1/namespaces/theirs/deployments/d/scale"],
    ["scaler", "/apis/apps/v1/deployments/d/scale"],
  ];
  for (const [who, path] of rows) assertRefused(await http.call({ path, as: user(who) }), `${who} ${path}`);
});

test("a right to list is none to watch, and the query says which of them it is", async () => {
  const path = "/api/v1/namespaces/mine/secrets";
  const as = user("lister");
  const plain = await http.call({ path, as });
  assert.equal(plain.status, 200);
  // Whatever is there and does not say no is a watch; the first of two counts, as everywhere.
  const watches = ["?watch=1", "?watch=true", "?watch=TRUE", "?watch=t", "?watch=no", "?watch=", "?watch"];
  for (const query of [...watches, "?%77atch=1", "?watch=1&watch=0", "?watch=1;x"]) {
    const answer = await http.call({ path: `${path}${query}&timeoutSeconds=1`, as });
    assertFailure(answer, { code: 403, reason: "Forbidden", message: /cannot watch/ });
  }
  const lists = ["?watch=0", "?watch=false", "?watch=False", "?Watch=1", "?WATCH=true", "?watch=0&watch=1"];
  for (const query of [...lists, "?watch=false&watch=true", "?x=1;watch=1"]) {
    const answer = await http.call({ path: `${path}${query}&timeoutSeconds=1`, as });
    assert.equal(answer.status, 200, query);
    assert.equal(answer.at("kind"), "SecretList", query);
  }
  // One secret by its name is not the list, and the list of one is.
  assertFailure(await http.call({ path: `${path}/s`, as }), { code: 403, reason: "Forbidden" });
  assertFailure(await http.call({ path: `${path}/s?watch=1`, as }), { code: 403, reason: "Forbidden" });
});

test("methods: HEAD is a get, all others have to be given, and no header makes one of another", async () => {
  const path = "/api/v1/namespaces/mine/secrets/s";
  const list = "/api/v1/namespaces/mine/secrets";
  const lister = user("lister");
  assert.equal((await http.call({ method: "HEAD", path: list, as: lister })).status, 200);
  assert.equal((await http.call({ method: "HEAD", path, as: lister })).status, 403);
  assert.equal((await http.call({ method: "HEAD", path: "/api/v1/secrets", as: lister })).status, 403);
  for (const method of ["OPTIONS", "TRACE", "PROPFIND", "COPY", "MOVE", "PURGE", "SEARCH", "LINK", "M-SEARCH"]) {
    assertRefused(await http.call({ method, path: list, as: lister }), method);
    // Whoever may do everything there gets nothing of it either.
    const answer = await http.call({ method, path, as: tenant });
    assertRefused(answer, method);
  }
  const overrides = [
    { "X-HTTP-Method-Override": "DELETE" },
    { "X-HTTP-Method": "DELETE" },
    { "X-Method-Override": "DELETE" },
    { "X-Original-URL": path },
    { "X-Rewrite-URL": path },
    { "X-Forwarded-Uri": path },
  ];
  for (const headers of overrides) {
    const answer = await http.call({ path: list, headers, as: lister });
    assert.equal(answer.status, 200);
    assert.equal(answer.at("kind"), "SecretList");
    const posted = await http.call({ method: "POST", path: `${list}?_method=DELETE`, body: {}, headers, as: lister });
    assertFailure(posted, { code: 403, reason: "Forbidden", message: /cannot create/ });
  }
  assert.equal((await http.get(path)).status, 200);
});

/** The status of a request written by hand; 0 where there was no answer. */
async function codeOf(lines: readonly string[]): Promise<number> {
  const url = new URL(target.urls[0] ?? "");
  const socket = connectTls({ host: url.hostname, port: Number(url.port), ca: target.pki.ca });
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  const closed = once(socket, "close");
  socket.write(`${[...lines, "Host: localhost", "Connection: close"].join("\r\n")}\r\n\r\n`);
  await closed;
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1] ?? 0);
}

test("headers of identity count in whatever case, and twice of one is never more than the first", async () => {
  const { strangerToken } = target;
  const { adminToken } = target.pki;
  const get = "GET /api/v1/secrets HTTP/1.1";
  const bearer = (name: string, token: string): string => `${name}: Bearer ${token}`;
  assert.equal(await codeOf([get, bearer("Authorization", adminToken)]), 200);
  assert.equal(await codeOf([get, bearer("aUTHORIZATION", adminToken)]), 200);
  // The administrator who poses as somebody is that somebody, whatever the case of the word.
  const poses = ["Impersonate-User", "impersonate-user", "IMPERSONATE-USER", "iMPERSONATE-uSER"];
  for (const name of poses) {
    assert.equal(await codeOf([get, bearer("Authorization", adminToken), `${name}: mallory`]), 403, name);
    const asMaster = [`${name}: mallory`, "impersonate-GROUP: system:masters"];
    assert.equal(await codeOf([get, bearer("Authorization", adminToken), ...asMaster]), 200, name);
    assert.equal(
      await codeOf([get, bearer("Authorization", strangerToken), `${name}: admin`, ...asMaster.slice(1)]),
      403,
    );
    assert.equal(await codeOf([get, `${name}: admin`, ...asMaster.slice(1)]), 403, "anonymous");
  }
  const [admin, stranger] = [bearer("Authorization", adminToken), bearer("Authorization", strangerToken)];
  const refused = [400, 401, 403];
  assert.ok(refused.includes(await codeOf([get, stranger, admin])), "the second counted");
  assert.ok(refused.includes(await codeOf([get, "Authorization: Bearer wrong", admin])), "the second counted");
  assert.ok(refused.includes(await codeOf([get, stranger, bearer("authorization", adminToken)])), "the second counted");
  assert.ok(refused.includes(await codeOf([get, `Authorization: Bearer ${strangerToken}, Bearer ${adminToken}`])));
  // Two of the one that names the user are never the wider of both.
  const both = ["Impersonate-User: mallory", "Impersonate-User: system:admin"];
  for (const pair of [both, both.toReversed()])
    assert.ok(refused.includes(await codeOf([get, admin, ...pair])), `${pair}`);
  // A name with a blank before the colon, or continued on a line of its own, is no header.
  assert.ok(refused.includes(await codeOf([get, `Authorization : Bearer ${adminToken}`])));
  assert.ok(refused.includes(await codeOf([get, "X-A: b", ` Authorization: Bearer ${adminToken}`])));
  assert.ok(refused.includes(await codeOf([get, `Authorization_: Bearer ${adminToken}`])));
});
