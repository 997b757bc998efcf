import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { connect } from "node:tls";
import { type Call, type Credentials, valueAt } from "../harness/http.js";
import { assertFailure, done } from "../harness/status.js";
import type { Target } from "../harness/target.js";
import { until } from "../harness/until.js";
import type { On } from "./scene.js";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const anonymous: Credentials = { type: "anonymous" };

/** Far over what a first answer takes. */
const silentMs = 20_000;

/** Sends bytes as they are, and gives what comes back until the server ends or says no more. */
async function speak(target: Target, bytes: string, quietMs = 400): Promise<string> {
  const url = new URL(target.urls[0] ?? "");
  const socket = connect({ host: url.hostname, port: Number(url.port), ca: target.pki.ca });
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  socket.write(bytes);
  // Silence counts from the first answer on: a server with much to do takes its time for that.
  socket.once("data", () => socket.setTimeout(quietMs, () => socket.destroy()));
  socket.setTimeout(silentMs, () => socket.destroy());
  await new Promise((resolve) => socket.once("close", resolve));
  return received;
}

const codesOf = (received: string): readonly number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code));

/** Holes that API servers have had, each by the name it was published under (issue of access, Checks). */
export function knownHoleSuite(on: On): void {
  test("CVE-2018-1002105: behind an upgrade that is refused nothing is smuggled", async () => {
    const { target } = on();
    const upgrade = ["Connection: Upgrade", "Upgrade: SPDY/3.1", "Host: localhost"];
    const bearers = ["", `Authorization: Bearer ${target.strangerToken}`];
    const paths = [
      "/api/v1/namespaces/default/pods/p/exec?command=sh&stdin=true",
      "/api/v1/namespaces/default/services/s/proxy/",
      "/api/v1/nodes/n/proxy/run",
    ];
    for (const path of paths) {
      for (const bearer of bearers) {
        const lines = [`GET ${path} HTTP/1.1`, ...upgrade, ...(bearer === "" ? [] : [bearer])];
        // The second request would be the smuggled one: to whomever the first was proxied.
        const smuggled = "GET /api/v1/namespaces/kube-system/secrets HTTP/1.1\r\nHost: localhost\r\n\r\n";
        const received = await speak(target, `${lines.join("\r\n")}\r\n\r\n${smuggled}`);
        const codes = codesOf(received);
        assert.equal(codes[0], 403, received);
        assert.ok(
          codes.slice(1).every((code) => code === 403 || code === 400),
          received,
        );
        assert.doesNotMatch(received, /101 Switching|SecretList/);
      }
    }
  });

  test("CVE-2020-8559, CVE-2022-3172: nobody is redirected, least of all to internal addresses", async () => {
    const { http } = on();
    const paths = [
      "/api/v1/namespaces/default/services/https:169.254.169.254:443/proxy/latest/meta-data",
      "/api/v1/nodes/127.0.0.1:2379/proxy/v2/keys",
      "//169.254.169.254/latest",
      "/%2f169.254.169.254/latest",
      "/apis/..//169.254.169.254",
      "/api/v1/namespaces/default/pods/p:80/proxy/http://127.0.0.1/",
      "/.",
      "/api/v1/../../openapi/v2",
    ];
    for (const path of paths) {
      for (const as of [anonymous, { type: "admin" }] satisfies Credentials[]) {
        const answer = await http.call({ path, as });
        assert.ok(answer.status >= 400, `${path}: ${answer.status}`);
        assert.equal(answer.headers.location, undefined, path);
      }
    }
  });

  test("CVE-2015-5305: a name never becomes part of another key: dots, slashes and their escapes", async () => {
    const { http } = on();
    await done(http.post("/api/v1/namespaces", { metadata: { name: "holes-a" } }));
    await done(
      http.post("/api/v1/namespaces/holes-a/secrets", { metadata: { name: "s" }, stringData: { k: "hidden" } }),
    );
    const paths = [
      "/api/v1/namespaces/holes-b/configmaps/..%2f..%2fsecrets%2fholes-a%2fs",
      "/api/v1/namespaces/holes-b/configmaps/../../holes-a/secrets/s",
      "/api/v1/namespaces/holes-b%2f..%2fholes-a/secrets/s",
      "/api/v1/namespaces/%2e%2e/secrets/s",
      "/api/v1/namespaces/holes-a/secrets/%2e%2e/s",
      "/api/v1/namespaces/holes-a/secrets/.",
      "/api/v1/namespaces//secrets/s",
      "/api/v1/namespaces/holes-a//secrets/s",
      "/api/v1//namespaces/holes-a/secrets/s",
      "/api/v1/namespaces/HOLES-A/secrets/s",
      "/api/v1/namespaces/holes-a/SECRETS/s",
      "/API/v1/namespaces/holes-a/secrets/s",
      "/api/v1/namespaces/holes-a/secrets/s%00",
      "/api/v1/namespaces/holes-a/secrets/s%2f",
      "/api/v1/namespaces/holes-a\\secrets\\s",
    ];
    for (const path of paths) {
      const answer = await http.call({ path });
      assert.ok(answer.status === 404 || answer.status === 400, `${path}: ${answer.status} ${answer.text}`);
      assert.doesNotMatch(answer.text, /aGlkZGVu|"hidden"/);
    }
    for (const name of ["..", ".", "a/b", "../b", "%2e%2e", "a\0b"]) {
      const body = { metadata: { name } };
      const answer = await http.call({ method: "POST", path: "/api/v1/namespaces/holes-a/configmaps", body });
      assert.equal(answer.status, 422, `${JSON.stringify(name)}: ${answer.text}`);
    }
  });

  test("CVE-2016-5392, CVE-2022-3162: a list or watch is never wider than the permission", async () => {
    const { http } = on();
    for (const name of ["holes-range", "holes-range-2"]) {
      await done(http.post("/api/v1/namespaces", { metadata: { name } }));
      await done(http.post(`/api/v1/namespaces/${name}/secrets`, { metadata: { name: `in-${name}` } }));
    }
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["list", "watch"] }];
    const group = "rbac.authorization.k8s.io";
    const base = `${rbac}/namespaces/holes-range`;
    await done(http.post(`${base}/roles`, { metadata: { name: "r" }, rules }));
    const roleRef = { apiGroup: group, kind: "Role", name: "r" };
    const subjects = [{ apiGroup: group, kind: "User", name: "holes-ann" }];
    await done(http.post(`${base}/rolebindings`, { metadata: { name: "r" }, roleRef, subjects }));
    const as: Credentials = { type: "user", name: "holes-ann" };
    const own = "/api/v1/namespaces/holes-range/secrets";
    const listed = await until("the role holds", async () => {
      const answer = await http.call({ path: own, as });
      return answer.status === 200 ? answer : undefined;
    });
    assert.deepEqual([...new Set(listed.items().map(({ metadata }) => metadata.namespace))], ["holes-range"]);
    const first = await http.call({ path: own, query: { limit: 1, resourceVersion: "" }, as: { type: "admin" } });
    const everywhere = await http.call({ path: "/api/v1/secrets", query: { limit: 1 } });
    const watched = await http.call({ path: own, query: { watch: true, timeoutSeconds: 1, resourceVersion: "0" }, as });
    for (const line of watched.text.split("\n").filter((each) => each !== "")) {
      const event: unknown = JSON.parse(line);
      if (valueAt(event, "type") !== "BOOKMARK")
        assert.equal(valueAt(event, "object.metadata.namespace"), "holes-range");
    }
    assert.equal(first.status, 200);
    const refused: readonly Call[] = [
      { path: "/api/v1/secrets" },
      { path: "/api/v1/secrets", query: { fieldSelector: "metadata.namespace=holes-range" } },
      { path: "/api/v1/namespaces/holes-range-2/secrets" },
      { path: "/api/v1/watch/secrets" },
      { path: "/api/v1/watch/namespaces/holes-range-2/secrets" },
      { path: "/api/v1/namespaces/holes-range/secrets/in-holes-range" },
    ];
    for (const call of refused) assertFailure(await http.call({ ...call, as }), { code: 403, reason: "Forbidden" });
    // A page's token of a wider list does not widen a narrower one.
    const token = String(everywhere.at("metadata.continue") ?? "");
    assert.notEqual(token, "");
    const stolen = await http.call({ path: own, query: { continue: token }, as });
    assert.equal(stolen.status, 400, stolen.text);
  });

  test("CVE-2019-11247: rights in a namespace reach nothing of the cluster, at whatever path", async () => {
    const { http } = on();
    await done(http.post("/api/v1/namespaces", { metadata: { name: "holes-scope" } }));
    const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
    const group = "rbac.authorization.k8s.io";
    const base = `${rbac}/namespaces/holes-scope`;
    await done(http.post(`${base}/roles`, { metadata: { name: "all" }, rules }));
    const roleRef = { apiGroup: group, kind: "Role", name: "all" };
    const subjects = [{ apiGroup: group, kind: "User", name: "holes-bob" }];
    await done(http.post(`${base}/rolebindings`, { metadata: { name: "all" }, roleRef, subjects }));
    const as: Credentials = { type: "user", name: "holes-bob" };
    await until("the role holds", async () => {
      const { status } = await http.call({ path: "/api/v1/namespaces/holes-scope/secrets", as });
      return status === 200 ? true : undefined;
    });
    const inNamespace = [
      `${base}/clusterroles`,
      `${base}/clusterroles/cluster-admin`,
      "/api/v1/namespaces/holes-scope/nodes",
    ];
    for (const path of inNamespace) {
      for (const method of ["GET", "DELETE"]) {
        assertFailure(await http.call({ path, method, as }), { code: 404, reason: "NotFound" });
      }
    }
    const create = { method: "POST", path: `${base}/clusterrolebindings`, body: { metadata: { name: "x" } } };
    assertFailure(await http.call({ ...create, as }), { code: 404, reason: "NotFound" });
    // And a namespaced kind at the cluster's path.
    for (const path of ["/api/v1/secrets/s", `${rbac}/roles/all`]) {
      assertFailure(await http.call({ path, as }), { code: 403, reason: "Forbidden" });
      assertFailure(await http.call({ path }), { code: 404, reason: "NotFound" });
    }
  });

  test("CVE-2019-11253, CVE-2019-1002100: bombs of anonymous users are refused before they are read", async () => {
    const { http } = on();
    const bomb = `a: &a [${"x,".repeat(9)}x]\n${"bcdefghi"
      .split("")
      .map((c, i) => `${c}: &${c} [${`*${"abcdefgh"[i]},`.repeat(9)}*${"abcdefgh"[i]}]`)
      .join("\n")}\n`;
    const operations = JSON.stringify(
      Array.from({ length: 20_000 }, () => ({ op: "copy", from: "/data", path: "/data/x" })),
    );
    const configMaps = "/api/v1/namespaces/default/configmaps";
    await http.post(configMaps, { metadata: { name: "a" } });
    const calls: readonly Call[] = [
      { method: "POST", path: configMaps, body: bomb, headers: { "content-type": "application/yaml" } },
      {
        method: "PATCH",
        path: `${configMaps}/a`,
        body: bomb,
        headers: { "content-type": "application/apply-patch+yaml" },
      },
      {
        ...{ method: "PATCH", path: `${configMaps}/a`, body: operations },
        headers: { "content-type": "application/json-patch+json" },
      },
    ];
    for (const call of calls) {
      assertFailure(await http.call({ ...call, as: anonymous }), { code: 403, reason: "Forbidden" });
    }
    const [yaml, , patch] = calls;
    if (yaml !== undefined) assert.equal((await http.call(yaml)).status, 400);
    if (patch !== undefined) assert.equal((await http.call(patch)).status, 413);
  });

  test("CVE-2017-1000056: older groups and deprecated paths are no way around authorization", async () => {
    const { http, target } = on();
    const as: Credentials = { type: "token", token: target.strangerToken };
    const paths = [
      "/api/v1/watch/namespaces/default/secrets",
      "/api/v1/watch/secrets",
      "/apis/extensions/v1beta1/namespaces/default/ingresses",
      "/apis/apps/v1beta1/namespaces/default/deployments",
      "/apis/policy/v1beta1/podsecuritypolicies",
      `${rbac.replace("v1", "v1beta1")}/clusterroles`,
      "/apis/nothing/v1/secrets",
      "/api/v2/secrets",
    ];
    for (const path of paths) {
      for (const who of [as, anonymous])
        assertFailure(await http.call({ path, as: who }), { code: 403, reason: "Forbidden" });
    }
  });

  test("CVE-2016-7075: a certificate that is not for clients lets nobody in", async () => {
    const { target } = on();
    const url = new URL(target.urls[0] ?? "");
    const { certificate: cert, key } = target.pki.serving;
    const socket = connect({ host: url.hostname, port: Number(url.port), ca: target.pki.ca, cert, key });
    let received = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      received += text;
    });
    socket.on("error", () => {});
    await once(socket, "secureConnect");
    socket.write("GET /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
    assert.deepEqual(codesOf(received), [401], received);
  });

  test("GHSA-c7xh-gjv4-4jgv: who may impersonate some may not become the masters", async () => {
    const { http } = on();
    const group = "rbac.authorization.k8s.io";
    const rules = [{ apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["holes-eve"] }];
    await done(http.post(`${rbac}/clusterroles`, { metadata: { name: "holes-imp" }, rules }));
    const roleRef = { apiGroup: group, kind: "ClusterRole", name: "holes-imp" };
    const subjects = [{ apiGroup: group, kind: "User", name: "stranger" }];
    await done(http.post(`${rbac}/clusterrolebindings`, { metadata: { name: "holes-imp" }, roleRef, subjects }));
    const { strangerToken: token } = on().target;
    const as: Credentials = { type: "token", token };
    const asked = (headers: Record<string, string | string[]>, path = "/version") => http.call({ path, headers, as });
    await until("the role holds", async () =>
      (await asked({ "Impersonate-User": "holes-eve" })).status === 200 ? true : undefined,
    );
    const refused: readonly Record<string, string | string[]>[] = [
      { "Impersonate-User": "holes-eve", "Impersonate-Group": "system:masters" },
      { "Impersonate-User": "holes-eve", "Impersonate-Group": ["a", "system:masters"] },
      { "Impersonate-User": "admin" },
      { "Impersonate-User": "system:serviceaccount:kube-system:default" },
      { "Impersonate-User": "holes-eve", "Impersonate-Uid": "1" },
      { "Impersonate-User": "holes-eve", "Impersonate-Extra-scopes": "all" },
    ];
    for (const headers of refused) assertFailure(await asked(headers), { code: 403, reason: "Forbidden" });
    for (const headers of [{ "Impersonate-Group": "system:masters" }, { "Impersonate-Uid": "1" }]) {
      assertFailure(await asked(headers), { code: 400, reason: "BadRequest" });
    }
    // A proxy's headers are worth nothing from anybody else.
    const posing = { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" };
    assertFailure(await asked(posing, "/api/v1/secrets"), {
      code: 403,
      reason: "Forbidden",
      message: /User "stranger"/,
    });
  });
}
