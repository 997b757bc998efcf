import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../../harness/http.js";
import { assertFailure } from "../../harness/status.js";
import type { On } from "../scene.js";

const list = "/api/v1/namespaces";

/** Who may do what in this build (rules: Authentication). */
export function identitySuite(on: On): void {
  test("the administrator's certificate and token may do everything", async () => {
    const { http } = on();
    for (const type of ["admin", "certificate"] as const) {
      const as = { type };
      assert.equal((await http.call({ path: list, as })).status, 200);
      const body = { metadata: { generateName: "by-admin-" } };
      const created = await http.call({ method: "POST", path: list, body, as });
      assert.equal(created.status, 201, created.text);
    }
  });

  test("a known user outside of the masters is told what is forbidden", async () => {
    const { http, target } = on();
    const as = { type: "token", token: target.strangerToken } as const;
    const calls: readonly (readonly [Call, RegExp])[] = [
      [
        { path: list },
        /^namespaces is forbidden: User "stranger" cannot list resource "namespaces" in API group "" at the cluster scope/,
      ],
      [
        { path: "/api/v1/namespaces/default/configmaps/a" },
        /^configmaps "a" is forbidden: User "stranger" cannot get resource "configmaps" in API group "" in the namespace "default"/,
      ],
      [{ method: "POST", path: list, body: {} }, /cannot create resource "namespaces"/],
      [{ method: "DELETE", path: `${list}/default` }, /cannot delete resource "namespaces"/],
      [{ path: `${list}?watch=1` }, /cannot watch resource "namespaces"/],
      [{ path: "/metrics" }, /User "stranger" cannot get path "\/metrics"/],
    ];
    for (const [call, message] of calls) {
      assertFailure(await http.call({ ...call, as }), { code: 403, reason: "Forbidden", message });
    }
    assert.equal((await http.call({ path: "/livez", as })).status, 200);
  });

  test("a wrong token is 401, whatever is asked for", async () => {
    const { http } = on();
    const as = { type: "token", token: "wrong" } as const;
    for (const path of [list, "/api", "/version", "/readyz"]) {
      assertFailure(await http.call({ path, as }), { code: 401, reason: "Unauthorized", message: "Unauthorized" });
    }
  });

  test("without credentials only health is answered", async () => {
    const { http } = on();
    const as = { type: "anonymous" } as const;
    for (const path of ["/healthz", "/livez", "/readyz"]) assert.equal((await http.call({ path, as })).status, 200);
    const refused = await http.call({ path: list, as });
    assertFailure(refused, { code: 403, reason: "Forbidden", message: /User "system:anonymous" cannot list/ });
    assertFailure(await http.call({ method: "POST", path: list, body: { metadata: { name: "x" } }, as }), {
      code: 403,
      reason: "Forbidden",
    });
  });
}
