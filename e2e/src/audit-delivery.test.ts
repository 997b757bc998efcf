import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { joinLines } from "@orch/audit/lines.js";
import { type Process, portOf, startProcess } from "@orch/deploy/process.js";
import { connect } from "@orch/rpc/link/grpc-client.js";
import { auditAppend } from "@orch/rpc/methods.js";
import { silentLog } from "@orch/runtime/log.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { eventsIn, eventsOf, writePolicy } from "./audit-bed.js";
import { startServer, temporaryFolder } from "./command-line-program.js";
import { connect as connectHttp } from "./harness/http.js";
import { startDistributed } from "./harness/target.js";
import { until } from "./harness/until.js";

const auditScript = fileURLToPath(new URL("../../services/audit/dist/main.js", import.meta.url));

/** The service by itself, that a test calls as a gateway does. */
async function startAudit(t: TestContext, folder: string, args: readonly string[]): Promise<Process> {
  const service = await startProcess({
    name: "audit",
    script: auditScript,
    args: ["--api-dialect=kubernetes", `--audit-spool-directory=${join(folder, "spool")}`, ...args],
    sameAgain: ({ rpc, metrics }) => [`--rpc-port=${portOf(rpc)}`, `--metrics-port=${portOf(metrics)}`],
  });
  t.after(() => service.stop());
  return service;
}

const eventLine = (id: string): Buffer =>
  Buffer.from(
    `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"${id}","stage":"ResponseComplete","requestURI":"/${"x".repeat(500)}"}`,
  );

const clientConfig = (server: string): string =>
  JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "a" },
    clusters: [{ name: "a", cluster: { server } }],
    users: [{ name: "a", user: {} }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
  });

interface Load {
  readonly acknowledged: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** Sends batches until it is stopped, some at once; remembers what was acknowledged. */
function startLoad(service: Process, { batch = 50, strict = false } = {}): Load {
  const acknowledged = new Set<string>();
  const caller = connect({ target: service.addresses["rpc"] ?? "", log: silentLog });
  let stopped = false;
  let next = 0;
  const one = async (): Promise<void> => {
    while (!stopped) {
      const ids = Array.from({ length: batch }, () => `e${next++}`);
      try {
        await caller.call(
          auditAppend,
          { lines: joinLines(ids.map(eventLine)), count: ids.length, strict },
          { deadlineMs: 500 },
        );
        for (const id of ids) acknowledged.add(id);
      } catch {
        await pause(20);
      }
      await pause(2);
    }
  };
  const running = Promise.all([one(), one(), one()]);
  return {
    acknowledged,
    async stop() {
      stopped = true;
      await running;
      await caller.close();
    },
  };
}

/** The ids of a log's whole events: a process that is killed while it writes leaves half a line. */
async function wholeIds(log: string): Promise<ReadonlySet<string>> {
  const text = await readFile(log, "utf8");
  return new Set(Array.from(text.matchAll(/^\{.*"auditID":"(\w+)".*\}$/gm), ([, id = ""]) => id));
}

test("kill -9 of the service under load: nothing that was acknowledged is lost", async (t) => {
  const folder = await temporaryFolder(t);
  const log = join(folder, "audit.log");
  const service = await startAudit(t, folder, [`--audit-log-path=${log}`, "--audit-log-mode=batch"]);
  const load = startLoad(service);
  for (let i = 1; i <= 3; i++) {
    await until("load", () => (load.acknowledged.size > i * 1_000 ? true : undefined));
    await service.kill();
    await service.restart();
  }
  await load.stop();
  const wanted = load.acknowledged;
  await until("every event", async () => {
    const there = await wholeIds(log);
    return [...wanted].every((id) => there.has(id)) ? true : undefined;
  });
});

test("a webhook that hangs, fails and floods gets every event once it works, and slows nobody", async (t) => {
  const folder = await temporaryFolder(t);
  const got = new Set<string>();
  let mood: "hang" | "fail" | "flood" | "work" = "fail";
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (mood === "hang") {
        response.destroy();
        return;
      }
      if (mood === "fail") {
        response.writeHead(500).end("x".repeat(100_000));
        return;
      }
      for (const [, id = ""] of Buffer.concat(parts)
        .toString()
        .matchAll(/"auditID":"(\w+)"/g))
        got.add(id);
      response.end(mood === "flood" ? "x".repeat(1_000_000) : "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const config = join(folder, "webhook.conf");
  await writeFile(config, clientConfig(`http://127.0.0.1:${port}/events`));
  const log = join(folder, "audit.log");
  const service = await startAudit(t, folder, [
    ...[`--audit-log-path=${log}`, "--audit-log-mode=blocking"],
    ...[`--audit-webhook-config-file=${config}`, "--audit-webhook-initial-backoff=20ms"],
    ...["--audit-webhook-batch-max-wait=50ms", "--audit-webhook-batch-throttle-enable=false"],
  ]);
  const load = startLoad(service, { batch: 20 });
  for (const next of ["hang", "flood", "fail", "work"] as const) {
    const before = load.acknowledged.size;
    await until(`load while it does ${mood}`, () => (load.acknowledged.size > before + 300 ? true : undefined));
    mood = next;
  }
  await load.stop();
  await until("every event", () => ([...load.acknowledged].every((id) => got.has(id)) ? true : undefined));
});

test("a spool that is full drops the oldest, says so, stays within its bound, and slows nobody", async (t) => {
  const folder = await temporaryFolder(t);
  const config = join(folder, "webhook.conf");
  await writeFile(config, clientConfig("http://127.0.0.1:1/"));
  const bound = 1 << 20;
  const service = await startAudit(t, folder, [
    ...[`--audit-webhook-config-file=${config}`, "--audit-webhook-initial-backoff=60s"],
    ...["--audit-webhook-batch-max-wait=10ms", `--audit-spool-max-bytes=${bound}`],
  ]);
  const load = startLoad(service);
  await until("load", () => (load.acknowledged.size > 6_000 ? true : undefined));
  await load.stop();
  const metrics = async (): Promise<string> => (await fetch(`http://${service.addresses["metrics"]}/metrics`)).text();
  const bytes = /^orch_audit_spool_bytes (\d+)/m.exec(await metrics())?.[1];
  assert.ok(Number(bytes) > 0 && Number(bytes) <= bound, bytes);
  await writeFile(config, "");
  await service.stop();
  const log = join(folder, "audit.log");
  const again = await startProcess({
    name: "audit",
    script: auditScript,
    args: [
      ...["--api-dialect=kubernetes", `--audit-spool-directory=${join(folder, "spool")}`],
      ...[`--audit-log-path=${log}`, "--audit-log-mode=batch"],
    ],
    sameAgain: () => [],
  });
  t.after(() => again.stop());
  await until("the newest", async () =>
    (await eventsIn(log)).some(({ auditID }) => auditID === [...load.acknowledged].at(-1)) ? true : undefined,
  );
});

test("blocking-strict: a request whose event cannot be kept is refused, and goes through once it can", async (t) => {
  const folder = await temporaryFolder(t);
  const log = join(folder, "audit.log");
  const policy = await writePolicy(folder, [{ level: "Metadata", users: ["admin"] }]);
  const full = await mkdtemp(join(tmpdir(), "orch-full-"));
  const args = ["-t", "tmpfs", "-o", "size=64k", "tmpfs", full];
  const mounted = await new Promise<boolean>((resolve) => {
    spawn("mount", args, { stdio: "ignore" })
      .on("error", () => resolve(false))
      .on("close", (code) => resolve(code === 0));
  });
  if (!mounted) {
    await rm(full, { recursive: true });
    t.skip("no small file system can be mounted here");
    return;
  }
  t.after(async () => {
    await new Promise((resolve) => spawn("umount", ["-l", full], { stdio: "ignore" }).on("close", resolve));
    await rm(full, { recursive: true });
  });
  const server = await startServer(t, {
    args: [
      ...[`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, "--audit-log-mode=blocking-strict"],
      `--audit-spool-directory=${join(full, "spool")}`,
    ],
  });
  assert.equal((await server.ask("/version")).status, 200);
  await writeFile(join(full, "ballast"), Buffer.alloc(60_000)).catch(() => {});
  const refused = await until("a refusal", async () => {
    const answer = await server.ask(`/version?${"x".repeat(8_000)}`);
    return answer.status === 500 ? answer : undefined;
  });
  assert.match(refused.body, /failed to store audit event/);
  await writeFile(join(full, "ballast"), "");
  await until("room", async () => ((await server.ask("/version")).status === 200 ? true : undefined));
  assert.ok((await server.metric("apiserver_audit_requests_rejected_total")) >= 1);
});

test("gateway workers send their events to the one service of their server", async (t) => {
  const folder = await temporaryFolder(t);
  const log = join(folder, "audit.log");
  const policy = await writePolicy(folder, [{ level: "Metadata" }]);
  const server = await startServer(t, {
    args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, "--gateway-workers=1"],
  });
  const answer = await server.ask("/api/v1/namespaces");
  const events = await eventsOf(log, String(answer.headers["audit-id"]), 2);
  assert.deepEqual(
    events.map(({ stage }) => stage),
    ["RequestReceived", "ResponseComplete"],
  );
});

test("as separate services: events of every gateway arrive, also those of while the service is away", {
  skip: etcdMissing(),
}, async (t) => {
  const folder = await temporaryFolder(t);
  const log = join(folder, "audit.log");
  const policyFile = await writePolicy(folder, [{ level: "RequestResponse" }]);
  const target = await startDistributed({
    audit: { policyFile, spool: join(folder, "spool"), args: [`--audit-log-path=${log}`] },
  });
  t.after(() => target.stop());
  const { audit } = target.cluster;
  assert.ok(audit);
  const gateways = target.urls.map((_url, gateway) => connectHttp(target, { gateway }));
  t.after(() => {
    for (const gateway of gateways) gateway.close();
  });
  const ids: string[] = [];
  const create = async (): Promise<void> => {
    for (const http of gateways) {
      const made = await http.post("/api/v1/namespaces/default/configmaps", { metadata: { generateName: "a-" } });
      assert.equal(made.status, 201, made.text);
      ids.push(String(made.headers["audit-id"]));
    }
  };
  await create();
  await audit.kill();
  await create();
  await create();
  await audit.restart();
  await create();
  for (const id of ids) {
    // One that was under way when the service was killed may come twice.
    const complete = await until("the event of its answer", async () =>
      (await eventsOf(log, id, 2)).find(({ stage }) => stage === "ResponseComplete"),
    );
    assert.equal(complete?.responseStatus?.code, 201);
    assert.equal(Reflect.get(Object(complete?.responseObject), "kind"), "ConfigMap");
  }
  const { text } = await target.cluster.ask(audit, "/metrics");
  assert.match(text, /^orch_audit_events_delivered_total\{plugin="log"\} [1-9]/m);
});
