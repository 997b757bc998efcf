import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { nodeRequest } from "@orch/api/testing/certificates.js";
import type { ApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { issueAuthority } from "@orch/pki/certificates.js";
import { createManualClock, systemClock } from "@orch/runtime/clock.js";
import { silentLog } from "@orch/runtime/log.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { ApiError } from "@orch/status/api-error.js";
import type { ManagerController } from "../controller.js";
import { createManager } from "../manager.js";
import { createTelemetry } from "../metrics.js";
import { managed } from "../service.js";
import { createSigningServer, until } from "../testing/signing-server.js";
import { usualCluster } from "../testing/usual-cluster.js";

const naming = createNaming("kubernetes");
const missing = (): never => assert.fail("not asked for");
const unused = { patch: missing, deleteCollection: missing, close: missing };

const request: ApiObject = {
  metadata: { name: "r", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: {
    request: Buffer.from(nodeRequest).toString("base64"),
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    usages: ["digital signature", "client auth"],
    username: "system:node:n1",
  },
};

async function setup(t: TestContext, controllers: readonly ManagerController[], options: { signs?: boolean } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "controllers-"));
  const clock = createManualClock(Date.parse("2026-12-01T00:00:00Z"));
  const pair = await issueAuthority("ca", clock.now() - 1000);
  const files = { certificate: join(folder, "ca.pem"), key: join(folder, "ca.key") };
  await Promise.all([writeFile(files.certificate, pair.certificate), writeFile(files.key, pair.key)]);
  const server = createSigningServer({ allowed: () => true });
  const client = { ...server.client, ...unused };
  const asked: string[] = [];
  const told: string[] = [];
  const manager = createManager(
    managed({
      controllers: new Set(controllers),
      garbageCollectorWorkers: 1,
      workers: {
        statefulSets: 1,
        daemonSets: 1,
        cronJobs: 1,
        finishedJobs: 1,
        jobs: 1,
        deployments: 1,
        replicaSets: 1,
        replicationControllers: 1,
      },
      autoscaling: {
        ...{ workers: 1, periodMs: 15_000, tolerance: 0.1, downWindowMs: 0 },
        ...{ cpuInitializationMs: 0, initialReadinessMs: 0 },
      },
      namespaceWorkers: 1,
      quotas: { workers: 1, syncPeriodMs: 300_000, settleMs: 0 },
      namespaceQuietMs: 0,
      cluster: usualCluster(),
      signing: { authorities: options.signs === false ? {} : { "agent-client": files }, durationMs: 3_600_000 },
      terms: [{ controllers: new Set(controllers), election: undefined }],
    }),
    {
      client,
      clientFor(controller) {
        asked.push(controller);
        return client;
      },
      naming,
      clock: { ...clock, monotonic: systemClock.monotonic },
      random: () => 0,
      log: { ...silentLog, info: (_fields, message) => told.push(message) },
      telemetry: createTelemetry(createMetrics({ release: "1.32" }), () => 0),
    },
  );
  t.after(async () => {
    await manager.stop();
    await rm(folder, { recursive: true });
  });
  return { server, clock, manager, asked, told };
}

test("a node's request is approved, then signed, by controllers that each act as themselves", async (t) => {
  const names = [
    "certificatesigningrequest-approving-controller",
    "certificatesigningrequest-signing-controller",
  ] as const;
  const { server, clock, manager, asked } = await setup(t, names);
  server.store(request);
  await manager.start();
  await until(() => server.log.length >= 2);
  assert.deepEqual(server.log, ["update r/approval", "update r/status"]);
  assert.deepEqual(asked, names);
  assert.match(JSON.stringify(server.object("r")), /"certificate":"/);
  // A second one, of whose approval the server says that somebody was faster.
  server.failOnce(new ApiError("Conflict", "changed"));
  server.store({ ...request, metadata: { name: "s" } });
  await until(() => {
    clock.advance(1000);
    return server.log.includes("update s/status");
  });
});

test("without an authority nothing is signed, and that is said", async (t) => {
  const { manager, asked, told } = await setup(t, ["certificatesigningrequest-signing-controller"], { signs: false });
  await manager.start();
  const why = "no files of an authority are named, --cluster-signing-cert-file and its key";
  assert.deepEqual(asked, ["certificatesigningrequest-signing-controller"]);
  assert.deepEqual(told, [`a controller does not run: ${why}`]);
});

test("the cleaner looks each hour, and sooner when the server was away", async (t) => {
  const { server, clock, manager } = await setup(t, ["certificatesigningrequest-cleaner-controller"]);
  server.store(request);
  server.store({ ...request, metadata: { name: "young", creationTimestamp: "2026-11-30T23:30:00Z" } });
  server.failOnce(new ApiError("ServiceUnavailable", "away"));
  await manager.start();
  await turns();
  assert.deepEqual(server.log, []);
  clock.advance(60_000);
  await until(() => server.log.length > 0);
  assert.deepEqual(server.log, ['delete r {"uid":"r","resourceVersion":"1"}']);
  assert.deepEqual(server.names(), ["young"]);
  server.store(request);
  clock.advance(59 * 60_000);
  await turns();
  assert.equal(server.log.length, 1);
  server.failOnce(new ApiError("Conflict", "changed"));
  clock.advance(60_000);
  await turns();
  assert.equal(server.names().includes("r"), true);
});

async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}
