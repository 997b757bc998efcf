import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose";
import { type Credentials, valueAt } from "../../harness/http.js";
import { freshNamespace, nameOf } from "../../harness/manifests.js";
import {
  type Account,
  type AccountScene,
  ask,
  authentication,
  bearer,
  endsWith,
  freshAccount,
  freshPod,
  freshSecret,
  issuer,
  onEveryGateway,
  podSpec,
  review,
  tokenOf,
  type Wanted,
  whoIs,
} from "../../harness/service-accounts.js";
import { assertFailure, done } from "../../harness/status.js";
import { until } from "../../harness/until.js";

type On = () => AccountScene;

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const minutes = (count: number): number => count * 60_000;
const anonymous: Credentials = { type: "anonymous" };

/** Service accounts, their tokens and their pods (rules: Authentication). */
export function serviceAccountSuite(on: On): void {
  describe("tokens", { concurrency: 4 }, () => tokenRequests(on));
  describe("the end of tokens", { concurrency: 4 }, () => revocation(on));
  describe("pods and trust", { concurrency: 4 }, () => podsAndTrust(on));
}

function tokenRequests(on: On): void {
  test("a token says whose it is, and what it is bound to", async () => {
    const { http } = on();
    const account = await freshAccount(http);
    const before = Date.now();
    const answer = await ask(http, account);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.at("kind"), "TokenRequest");
    assert.deepEqual(answer.at("spec.audiences"), [issuer]);
    assert.equal(answer.at("spec.expirationSeconds"), 3600);
    const expires = Date.parse(String(answer.at("status.expirationTimestamp")));
    assert.ok(expires >= before + minutes(59) && expires <= Date.now() + minutes(61), answer.text);

    const user = `system:serviceaccount:${account.namespace}:${account.name}`;
    const self = await done(whoIs(http, String(answer.at("status.token"))));
    const info = self.at("status.userInfo");
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`, "system:authenticated"];
    assert.deepEqual({ ...Object(info), extra: 0 }, { username: user, uid: account.uid, groups, extra: 0 });
    const key = (name: string) => `authentication.kubernetes.io/${name}`;
    const extraOf = async (spec: Wanted): Promise<unknown> => {
      const who = await done(whoIs(http, await tokenOf(http, account, spec)));
      const extra = new Map(Object.entries(Object(valueAt(who.json(), "status.userInfo.extra"))));
      assert.match(String(extra.get(key("credential-id"))), /^JTI=[-0-9a-f]{36}$/);
      extra.delete(key("credential-id"));
      return Object.fromEntries(extra);
    };
    assert.deepEqual(await extraOf({}), {});
    const node = await done(http.post("/api/v1/nodes", { metadata: { generateName: "n-" } }));
    const [nodeName, nodeUid] = [nameOf(node.object()), node.at("metadata.uid")];
    const onNode = { [key("node-name")]: [nodeName], [key("node-uid")]: [nodeUid] };
    const pod = await freshPod(http, account, { nodeName });
    const inPod = { [key("pod-name")]: ["p"], [key("pod-uid")]: [pod.at("metadata.uid")] };
    assert.deepEqual(await extraOf({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p" } }), {
      ...inPod,
      ...onNode,
    });
    assert.deepEqual(await extraOf({ boundObjectRef: { apiVersion: "v1", kind: "Node", name: nodeName } }), onNode);
    await freshSecret(http, account);
    assert.deepEqual(await extraOf({ boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s" } }), {});
    await done(http.delete(`/api/v1/nodes/${nodeName}`));
  });

  test("no token is made for what is not there, not allowed or makes no sense", async () => {
    const { http, target } = on();
    const account = await freshAccount(http);
    const other = await freshAccount(http, "other", account.namespace);
    await freshPod(http, other);
    await freshSecret(http, account);
    const to = (kind: string, name: string, more: object = {}) => ({ boundObjectRef: { kind, name, ...more } });
    const rows: readonly (readonly [Wanted, number, string, RegExp])[] = [
      [{ expirationSeconds: 599 }, 422, "Invalid", /spec.expirationSeconds: Invalid value: 599: may not specify a/],
      [{ expirationSeconds: 2 ** 32 + 1 }, 422, "Invalid", /spec.expirationSeconds: Invalid value: 4294967297/],
      [to("Pod", "none"), 404, "NotFound", /^pods "none" not found$/],
      [to("Secret", "none"), 404, "NotFound", /^secrets "none" not found$/],
      [to("Node", "none"), 404, "NotFound", /^nodes "none" not found$/],
      [to("Pod", "p"), 400, "BadRequest", /"robot" to pod running with different serviceaccount name/],
      [to("ConfigMap", "s"), 400, "BadRequest", /^cannot bind token to object of type .*Kind=ConfigMap/],
      [to("Secret", "s", { uid: "other" }), 409, "Conflict", /does not match the UID in record/],
      [to("Secret", "../s"), 400, "BadRequest", /may not contain/],
    ];
    for (const [spec, code, reason, message] of rows) {
      assertFailure(await ask(http, account, spec), { code, reason, message });
    }
    const missing = { path: account.path.replace(/robot$/, "nobody") };
    const message = 'serviceaccounts "nobody" not found';
    assertFailure(await ask(http, missing), { code: 404, reason: "NotFound", message });
    const elsewhere = { path: "/api/v1/namespaces/no-such/serviceaccounts/robot" };
    assertFailure(await ask(http, elsewhere), { code: 404, reason: "NotFound" });
    const path = `${account.path}/token`;
    assertFailure(await http.post(path, { metadata: { namespace: "default" } }), { code: 400, reason: "BadRequest" });
    assertFailure(await http.post(path, { metadata: { name: "x" } }), { code: 422, reason: "Invalid" });
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
      const answer = await http.call({ method, path, headers, ...(method === "GET" ? {} : { body: "{}" }) });
      assertFailure(answer, { code: 405, reason: "MethodNotAllowed" });
    }
    const as = bearer(target.strangerToken);
    const refused = await http.call({ method: "POST", path, body: {}, as });
    assertFailure(refused, {
      code: 403,
      reason: "Forbidden",
      message: /^serviceaccounts "robot" is forbidden: User "stranger" cannot create resource "serviceaccounts\/token"/,
    });
    const tried = await http.post(path, {}, { dryRun: "All" });
    assert.equal(tried.status, 201, tried.text);
    assert.ok(!tried.text.includes("eyJ"), "what is tried hands out no token");
  });

  test("a token is good for its audiences and no others", async () => {
    const { http } = on();
    const account = await freshAccount(http);
    const vault = await tokenOf(http, account, { audiences: ["vault"] });
    assertFailure(await whoIs(http, vault), { code: 401, reason: "Unauthorized", message: "Unauthorized" });
    const both = await tokenOf(http, account, { audiences: ["vault", issuer] });
    await done(whoIs(http, both));
    const username = `system:serviceaccount:${account.namespace}:robot`;
    const rows: readonly (readonly [string, readonly string[] | undefined, readonly string[] | undefined])[] = [
      [vault, undefined, undefined],
      [vault, [issuer], undefined],
      [vault, ["other"], undefined],
      [vault, ["vault"], ["vault"]],
      [both, undefined, [issuer]],
      [both, ["other", "vault"], ["vault"]],
      [both, ["other"], undefined],
    ];
    for (const [token, audiences, meant] of rows) {
      const answer = await done(review(http, token, audiences));
      const text = `${audiences}: ${answer.text}`;
      assert.equal(answer.at("status.authenticated"), meant === undefined ? undefined : true, text);
      assert.deepEqual(answer.at("status.audiences"), meant, text);
      assert.equal(answer.at("status.user.username"), meant === undefined ? undefined : username, text);
      if (meant === undefined) assert.equal(answer.at("status.error"), "invalid bearer token", text);
    }
  });

  test("a review of what is no token of ours tells nothing, and not everybody may ask", async () => {
    const { http, target } = on();
    const account = await freshAccount(http);
    const good = await tokenOf(http, account);
    const [head = "", payload = "", signature = ""] = good.split(".");
    const forged = Buffer.from(Buffer.from(payload, "base64url").toString().replaceAll("robot", "other")).toString(
      "base64url",
    );
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const bad = ["x", `${head}.${forged}.${signature}`, `${none}.${payload}.`, `${head}.${payload}.`, `${good}x`];
    for (const token of bad) {
      const answer = await done(review(http, token));
      assert.deepEqual([answer.at("status.authenticated"), answer.at("status.user.username")], [undefined, undefined]);
      assert.equal((await whoIs(http, token)).status, 401, token);
    }
    assert.equal((await done(review(http, good))).at("status.authenticated"), true);
    assertFailure(await review(http, ""), { code: 400, reason: "BadRequest" });
    const body = { spec: { token: good } };
    for (const as of [bearer(target.strangerToken), bearer(good), anonymous]) {
      const answer = await http.call({ method: "POST", path: `${authentication}/tokenreviews`, body, as });
      assertFailure(answer, { code: 403, reason: "Forbidden", message: /cannot create resource "tokenreviews"/ });
    }
  });
}

function revocation(on: On): void {
  test("a token ends with its account, and one of the same name does not revive it", async () => {
    const scene = on();
    const { http } = scene;
    const account = await freshAccount(http);
    const token = await tokenOf(http, account);
    await endsWith(scene, token, () => done(http.delete(account.path)));
    await freshAccount(http, account.name, account.namespace);
    assert.equal((await done(review(http, token))).at("status.authenticated"), undefined);
    assert.deepEqual([...new Set(await onEveryGateway(scene, token))], [401]);
    const fresh = await tokenOf(http, account);
    await until("a token of the new account is taken everywhere", async () =>
      (await onEveryGateway(scene, fresh)).every((status) => status === 201) ? true : undefined,
    );
    assert.deepEqual([...new Set(await onEveryGateway(scene, token))], [401]);
  });

  test("an account that is replaced at once ends the tokens of the old one", async () => {
    const scene = on();
    const { http } = scene;
    const account = await freshAccount(http);
    await endsWith(scene, await tokenOf(http, account), async () => {
      await done(http.delete(account.path));
      await freshAccount(http, account.name, account.namespace);
    });
  });

  for (const kind of ["Pod", "Secret"] as const) {
    test(`a token ends with the ${kind} that it is bound to`, async () => {
      const scene = on();
      const { http } = scene;
      const account = await freshAccount(http);
      const make = () => (kind === "Pod" ? freshPod(http, account) : freshSecret(http, account));
      const object = await make();
      const name = nameOf(object.object());
      const boundObjectRef = { apiVersion: "v1", kind, name, uid: String(object.at("metadata.uid")) };
      const token = await tokenOf(http, account, { boundObjectRef });
      const free = await tokenOf(http, account);
      const path = `/api/v1/namespaces/${account.namespace}/${kind.toLowerCase()}s/${name}`;
      await endsWith(scene, token, () => done(http.delete(path)));
      await make();
      assertFailure(await ask(http, account, { boundObjectRef }), { code: 409, reason: "Conflict" });
      assert.deepEqual([...new Set(await onEveryGateway(scene, token))], [401]);
      await done(whoIs(http, free));
    });
  }

  test("a secret gets a token, which ends with it or with its account", async () => {
    const scene = on();
    const { http, target } = scene;
    const account = await freshAccount(http);
    const secrets = `/api/v1/namespaces/${account.namespace}/secrets`;
    const annotated = (name: string, of: string) => ({
      metadata: { name, annotations: { "kubernetes.io/service-account.name": of } },
      type: "kubernetes.io/service-account-token",
    });
    const filled = async (name: string): Promise<string> => {
      await done(http.post(secrets, annotated(name, account.name)));
      return until("the secret has its token", async () => {
        const answer = await http.get(`${secrets}/${name}`);
        const data = new Map(Object.entries(Object(answer.at("data"))));
        const text = (key: string) => Buffer.from(String(data.get(key) ?? ""), "base64").toString();
        if (text("token") === "") return undefined;
        const annotations = new Map(Object.entries(answer.object().metadata.annotations ?? {}));
        assert.equal(annotations.get("kubernetes.io/service-account.uid"), account.uid);
        assert.equal(text("ca.crt"), target.pki.ca);
        assert.equal(text("namespace"), account.namespace);
        return text("token");
      });
    };
    const first = await filled("first");
    const self = await done(whoIs(http, first));
    assert.equal(self.at("status.userInfo.username"), `system:serviceaccount:${account.namespace}:robot`);
    assert.equal((await done(review(http, first))).at("status.authenticated"), true);
    await endsWith(scene, first, () => done(http.delete(`${secrets}/first`)));
    const second = await filled("second");
    await endsWith(scene, second, () => done(http.delete(account.path)));
    const gone = (name: string) =>
      until(`the secret ${name} is gone`, async () =>
        (await http.get(`${secrets}/${name}`)).status === 404 ? true : undefined,
      );
    await gone("second");
    await done(http.post(secrets, annotated("of-nobody", "nobody")));
    await gone("of-nobody");
  });
}

function podsAndTrust(on: On): void {
  test("a pod gets its account, the account's token and its secrets for images", async () => {
    const { http } = on();
    const account = await freshAccount(http);
    const pods = `/api/v1/namespaces/${account.namespace}/pods`;
    const pulls = { imagePullSecrets: [{ name: "registry" }] };
    await done(http.patch(account.path, "merge", pulls));
    const pod = await freshPod(http, account);
    assert.deepEqual(pod.at("spec.imagePullSecrets"), pulls.imagePullSecrets);
    assert.equal(pod.at("spec.serviceAccount"), "robot");
    const volume = String(pod.at("spec.volumes.0.name"));
    assert.match(volume, /^kube-api-access-[a-z0-9]{5}$/);
    assert.deepEqual(pod.at("spec.volumes.0.projected"), {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 420,
    });
    const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
    assert.deepEqual(pod.at("spec.containers.0.volumeMounts"), [{ name: volume, readOnly: true, mountPath }]);
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
    const kept = await done(ask(http, account, { boundObjectRef, expirationSeconds: 3607 }));
    const claims = decodeJwt(String(kept.at("status.token")));
    assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 365 * 24 * 3600, "old clients do not read it again");
    assert.equal(kept.at("spec.expirationSeconds"), 3607);

    const usual = await done(http.post(pods, { metadata: { name: "usual" }, spec: podSpec() }));
    assert.equal(usual.at("spec.serviceAccountName"), "default");
    const quiet = podSpec({ automountServiceAccountToken: false, imagePullSecrets: [{ name: "own" }] });
    const silent = await done(
      http.post(pods, { metadata: { name: "quiet" }, spec: { ...quiet, serviceAccountName: "robot" } }),
    );
    assert.equal(silent.at("spec.volumes"), undefined);
    assert.deepEqual(silent.at("spec.imagePullSecrets"), [{ name: "own" }]);
    const nobody = { metadata: { name: "lost" }, spec: podSpec({ serviceAccountName: "nobody" }) };
    assertFailure(await http.post(pods, nobody), {
      code: 403,
      reason: "Forbidden",
      message: `pods "lost" is forbidden: error looking up service account ${account.namespace}/nobody: serviceaccount "nobody" not found`,
    });
  });

  test("every namespace has the authority of the server's certificate, and has it again", async () => {
    const { http, target } = on();
    const namespace = await freshNamespace(http);
    const path = `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`;
    const there = (what: string) =>
      until(what, async () => {
        const answer = await http.get(path);
        return answer.status === 200 && Object(answer.at("data"))["ca.crt"] === target.pki.ca ? answer : undefined;
      });
    await there("the authority is published");
    await done(http.patch(path, "merge", { data: { "ca.crt": "another" } }));
    await there("the authority is corrected");
    const { uid } = (await there("the authority is there")).object().metadata;
    await done(http.delete(path));
    const again = await there("the authority is published again");
    assert.notEqual(again.at("metadata.uid"), uid);
  });

  test("others check a token by what discovery tells, which accounts may read and nobody else", async () => {
    const { http, target } = on();
    const account = await freshAccount(http);
    const token = await tokenOf(http, account, { audiences: [issuer, "vault"] });
    const paths = ["/.well-known/openid-configuration", "/openid/v1/jwks"] as const;
    for (const path of paths) {
      for (const as of [anonymous, bearer(target.strangerToken)]) {
        const message = new RegExp(`cannot get path "${path}"`);
        assertFailure(await http.call({ path, as }), { code: 403, reason: "Forbidden", message });
      }
    }
    const [configuration, keySet] = await Promise.all(
      paths.map((path) => done(http.call({ path, as: bearer(token) }))),
    );
    assert.ok(configuration !== undefined && keySet !== undefined);
    assert.equal(configuration.headers["content-type"], "application/json");
    assert.equal(keySet.headers["content-type"], "application/jwk-set+json");
    assert.equal(configuration.at("issuer"), issuer);
    assert.match(String(configuration.at("jwks_uri")), /^https:\/\/.*\/openid\/v1\/jwks$/);
    assert.deepEqual(configuration.at("id_token_signing_alg_values_supported"), ["ES256"]);
    const keys: JSONWebKeySet = JSON.parse(keySet.text);
    assert.deepEqual(
      keys.keys.map((key) => Object.keys(key).sort()),
      [["alg", "crv", "kid", "kty", "use", "x", "y"]],
      "the public half alone",
    );
    const verify = (text: string, audience: string) => jwtVerify(text, createLocalJWKSet(keys), { issuer, audience });
    const { payload } = await verify(token, "vault");
    assert.equal(payload.sub, `system:serviceaccount:${account.namespace}:robot`);
    assert.deepEqual(valueAt(Object(payload["kubernetes.io"]), "serviceaccount"), { name: "robot", uid: account.uid });
    await assert.rejects(verify(token, "other"), { code: "ERR_JWT_CLAIM_VALIDATION_FAILED" });
    const at = token.lastIndexOf(".") + 10;
    const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
    await assert.rejects(verify(changed, "vault"), { code: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" });
  });

  test("a binding gives an account rights, and not its namesake elsewhere", async () => {
    const { http } = on();
    const home = await freshNamespace(http);
    const robot = await freshAccount(http);
    const sibling = await freshAccount(http, "sibling", robot.namespace);
    const namesake = await freshAccount(http);
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
    const base = `${rbac}/namespaces/${home}`;
    await done(http.post(`${base}/roles`, { metadata: { name: "reader" }, rules }));
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
    const subjects = [{ kind: "ServiceAccount", name: "robot", namespace: robot.namespace }];
    await done(http.post(`${base}/rolebindings`, { metadata: { name: "robot" }, roleRef, subjects }));
    const lists = async (account: Account, namespace = home): Promise<number> => {
      const as = bearer(await tokenOf(http, account));
      return (await http.call({ path: `/api/v1/namespaces/${namespace}/configmaps`, as })).status;
    };
    const may = (account: Account) =>
      until(`${account.namespace}/${account.name} may list`, async () =>
        (await lists(account)) === 200 && (await lists(account)) === 200 ? true : undefined,
      );
    await may(robot);
    assert.equal(await lists(robot, robot.namespace), 403);
    assert.equal(await lists(namesake), 403);
    assert.equal(await lists(sibling), 403);
    const group = { kind: "Group", name: `system:serviceaccounts:${robot.namespace}` };
    const all = { metadata: { name: "all" }, roleRef, subjects: [{ ...group, apiGroup: roleRef.apiGroup }] };
    await done(http.post(`${base}/rolebindings`, all));
    await may(sibling);
    assert.equal(await lists(namesake), 403);
  });
}
