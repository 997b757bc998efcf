import assert from "node:assert/strict";
import { test } from "node:test";
import { admitted } from "./testing/admitted.js";

const leases = { resource: "leases", group: "coordination.k8s.io", namespace: "kube-system" } as const;
const labels = { "apiserver.kubernetes.io/identity": "kube-apiserver" };

test("leases of gateways that have ended are forgotten at the next start, others stay", async (t) => {
  const first = await admitted(t);
  // Tests begin in 2025.
  const spec = (renewTime: string) => ({ holderIdentity: "h", leaseDurationSeconds: 3600, renewTime });
  const lease = (name: string, more: object) =>
    first.make(leases, { metadata: { name, ...more }, spec: spec("2024-12-31T22:00:00.000000Z") });
  await lease("gone", { labels });
  await lease("scheduler", {});
  await first.make(leases, { metadata: { name: "alive", labels }, spec: spec("2024-12-31T23:30:00.000000Z") });
  await first.make(leases, { metadata: { name: "empty", labels } });
  const { says } = await first.again();
  const label = { verb: "patch", contentType: "application/merge-patch+json" } as const;
  const wanted = { gone: 404, scheduler: 0, alive: 0, empty: 404 };
  for (const [name, code] of Object.entries(wanted)) {
    const said = await says({ ...leases, ...label, name }, { metadata: { labels: { a: "b" } } });
    assert.equal(said, code === 0 ? "ok" : `404 leases.coordination.k8s.io "${name}" not found`);
  }
});
