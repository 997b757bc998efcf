import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/runtime/clock.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { openEgress } from "./egress.js";

const folder = mkdtempSync(join(tmpdir(), "orch-egress-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function opened(path: string) {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const refuse = (problem: string): never => {
    throw new Error(problem);
  };
  const naming = createNaming("orch");
  return { metrics, egress: openEgress(path, { naming, metrics, clock: createManualClock(), refuse }) };
}

function file(name: string, ...egressSelections: readonly object[]): string {
  const path = join(folder, name);
  const head = { apiVersion: "apiserver.orch/v1beta1", kind: "EgressSelectorConfiguration" };
  writeFileSync(path, JSON.stringify({ ...head, egressSelections }));
  return path;
}

test("a flag that leads nowhere ends the start", async () => {
  const zzz = file("zzz", { name: "zzz", connection: { proxyProtocol: "Direct" } });
  const rows: readonly (readonly [string, string])[] = [
    ["/absent", "egress-selector-config-file /absent does not exist"],
    [
      zzz,
      'failed to validate egress selector configuration: service.connection: Unsupported value: "zzz": supported values: "cluster", "controlplane", "etcd"',
    ],
  ];
  for (const [path, message] of rows) await assert.rejects(opened(path).egress, { message });
  await assert.rejects(opened(folder).egress, /^Error: failed to read egress selector config: unable to read/);
});

test("dials through proxies are counted by the reference's names; without a file nothing is", async () => {
  const none = opened("");
  assert.equal(await none.egress, undefined);
  assert.doesNotMatch(await none.metrics.text(), /egress/);
  const proxy = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: join(folder, "nobody") } } };
  const direct = { name: "cluster", connection: { proxyProtocol: "Direct" } };
  const { egress, metrics } = opened(file("proxy", { name: "etcd", connection: proxy }, direct));
  const made = await egress;
  assert.equal(made?.through("controlplane"), undefined);
  assert.equal(made?.through("cluster"), undefined);
  const dialed = made?.dial("etcd")({ host: "a", port: 1 }, AbortSignal.timeout(5_000));
  await assert.rejects(dialed ?? Promise.resolve(), { code: "ENOENT" });
  const text = await metrics.text();
  const labels = 'protocol="http_connect",transport="uds"';
  assert.ok(text.includes(`apiserver_egress_dialer_dial_start_total{${labels}} 1`), text);
  assert.ok(text.includes(`apiserver_egress_dialer_dial_failure_count{${labels},stage="connect"} 1`), text);
});
