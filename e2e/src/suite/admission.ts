import assert from "node:assert/strict";
import { test } from "node:test";
import { freshNamespace } from "../harness/manifests.js";
import { assertFailure, done } from "../harness/status.js";
import { until } from "../harness/until.js";
import type { On } from "./scene.js";

/** What admission plugins do with writes, as a client sees it. */
export function admissionSuite(on: On): void {
  quotas(on);
  podSecurity(on);
}

function quotas(on: On): void {
  test("a hundred creates at once never pass a quota; what is deleted is free again", async () => {
    const { http, target } = on();
    const namespace = await freshNamespace(http);
    const core = `/api/v1/namespaces/${namespace}`;
    const hard = {
      "count/secrets": "0",
      "count/configmaps": "20",
      [`count/leases.${target.naming.group("coordination")}`]: "1",
    };
    await done(http.post(`${core}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } }));
    const isUsed = (amount: string): Promise<true> =>
      until(`${amount} are used`, async () => {
        const used = Object((await http.get(`${core}/resourcequotas/q`)).at("status.used"));
        return used["count/configmaps"] === amount || undefined;
      });
    await isUsed("0");
    // Whoever admits hears of the quota as others do: a moment after it was written.
    await until("the quota limits", async () => {
      const tried = await http.post(`${core}/secrets`, { metadata: { name: "s" } }, { dryRun: "All" });
      return tried.status === 403 || undefined;
    });
    const make = (i: number) => http.post(`${core}/configmaps`, { metadata: { name: `c${i}` } });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => make(i)));
    const made = answers.flatMap((answer, i) => (answer.status === 201 ? [i] : []));
    assert.equal(made.length, 20);
    const refused = answers.find(({ status }) => status !== 201) ?? assert.fail("none was refused");
    assertFailure(refused, { code: 403, reason: "Forbidden" });
    const text = "requested: count/configmaps=1, used: count/configmaps=20, limited: count/configmaps=20";
    assert.ok(String(refused.at("message")).endsWith(`is forbidden: exceeded quota: q, ${text}`), refused.text);
    const list = await done(http.get(`${core}/configmaps`));
    assert.equal(Object(list.at("items")).length, 20);
    await done(http.delete(`${core}/configmaps/c${made[0]}`));
    await isUsed("19");
    await done(make(100));
    assertFailure(await make(101), { code: 403, reason: "Forbidden" });
  });
}

function podSecurity(on: On): void {
  test("a namespace holds its pods to a security standard, and warns of workloads and of pods that are there", async () => {
    const { http, target } = on();
    const namespace = await freshNamespace(http);
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await done(http.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "own" } }));
    const spec = { serviceAccountName: "own", hostPID: true, containers: [{ name: "c", image: "i" }] };
    await done(http.post(pods, { metadata: { name: "old" }, spec }));
    const labels = { [`pod-security.${target.naming.key("enforce")}`]: "baseline" };
    const patched = await done(http.patch(`/api/v1/namespaces/${namespace}`, "merge", { metadata: { labels } }));
    const warnings = String(patched.headers["warning"]);
    assert.match(warnings, /existing pods in namespace .* violate the new PodSecurity enforce level/);
    assert.match(warnings, /old: host namespaces/);
    const refusal = 'violates PodSecurity "baseline:latest": host namespaces (hostPID=true)';
    await until("the label holds", async () => {
      const tried = await http.post(pods, { metadata: { name: "p" }, spec }, { dryRun: "All" });
      return tried.status === 403 || undefined;
    });
    const refused = await http.post(pods, { metadata: { name: "p" }, spec });
    assertFailure(refused, { code: 403, reason: "Forbidden" });
    assert.equal(refused.at("message"), `pods "p" is forbidden: ${refusal}`);
    const template = { metadata: { labels: { a: "b" } }, spec };
    const deployment = { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } };
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    // Whoever serves workloads need not be who serves pods, and hears of the label in a moment of its own.
    const warned = await until("a workload is warned of", async () => {
      const tried = await done(http.post(deployments, deployment, { dryRun: "All" }));
      return tried.headers["warning"] === undefined ? undefined : tried;
    });
    const made = await done(http.post(deployments, deployment));
    for (const { headers } of [warned, made]) {
      assert.match(String(headers["warning"]), /would violate PodSecurity \\"baseline:latest\\": host namespaces/);
    }
  });
}
