import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { joinLines } from "@orch/audit/lines.js";
import { startProcess } from "@orch/deploy/process.js";
import { connect } from "@orch/rpc/link/grpc-client.js";
import { auditAppend } from "@orch/rpc/methods.js";
import { silentLog } from "@orch/runtime/log.js";
import { cpuMicroseconds } from "./cpu.js";
import { httpRequest, once } from "./load/load.js";
import { configMap, measureRequests, type Timing } from "./runs.js";
import type { Row } from "./table.js";
import { startStandalone, type Target, type TargetOptions } from "./targets.js";

export interface AuditBench {
  readonly timing: Timing;
  readonly note: (row: Row) => void;
  readonly options: TargetOptions;
}

const connections = 32;
/** Two servers take turns: on a machine that others use too, a figure means something beside its neighbour alone. */
const rounds = 5;
const middle = (some: readonly number[]): number => [...some].sort((a, b) => a - b)[some.length >> 1] ?? Number.NaN;

/** What recording every request at level Metadata to a file costs a get and a create, and how many events a service takes. */
export async function benchAudit({ timing, note, options }: AuditBench): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "orch-bench-audit-"));
  try {
    return [await benchRequests(folder, { timing, note, options }), await benchService(folder)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function benchRequests(folder: string, { timing, note, options }: AuditBench): Promise<string> {
  const policy = join(folder, "policy.yaml");
  await writeFile(policy, '{"apiVersion":"audit.orch/v1","kind":"Policy","rules":[{"level":"Metadata"}]}');
  const flags = [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${join(folder, "a.log")}`,
    "--audit-log-mode=batch",
  ];
  const batched = [...flags, "--audit-log-batch-max-size=1000", "--audit-log-batch-max-wait=100ms"];
  const quiet = { ...options, controllers: false };
  const plain = await startStandalone(quiet);
  const audited = await startStandalone({ ...quiet, flags: batched });
  try {
    const notes: string[] = [];
    for (const verb of ["get", "create"] as const) {
      const costs: { readonly off: number; readonly on: number }[] = [];
      for (let round = 0; round < rounds; round++) {
        const off = await measure(plain, verb, { timing, name: "audit off" });
        const on = await measure(audited, verb, { timing, name: "audit Metadata" });
        if (round === rounds - 1) {
          note(off);
          note(on);
        }
        costs.push({ off: cpuOf(off), on: cpuOf(on) });
      }
      const [off, on] = [middle(costs.map((cost) => cost.off)), middle(costs.map((cost) => cost.on))];
      const more = middle(costs.map((cost) => cost.on - cost.off));
      notes.push(
        `audit at level Metadata: a ${verb} costs ${off.toFixed(1)} µs without, ${on.toFixed(1)} µs with, ${more.toFixed(1)} µs more (medians of ${rounds})`,
      );
    }
    return notes.join("\n");
  } finally {
    await Promise.all([plain.stop(), audited.stop()]);
  }
}

const cpuOf = ({ cpu }: Row): number => [...cpu.values()].reduce((sum, one) => sum + one, 0);

let made = 0;

async function measure(
  target: Target,
  verb: "get" | "create",
  { timing, name }: { readonly timing: Timing; readonly name: string },
): Promise<Row> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) throw new Error("nowhere to ask");
  const path = "/api/v1/namespaces/default/configmaps";
  if (verb === "get") await once(endpoint, { method: "POST", path, body: configMap("one") });
  return measureRequests(
    target,
    {
      operation: `${verb} ConfigMap, ${name}`,
      connections,
      request: (e) =>
        verb === "get"
          ? httpRequest(e, { method: "GET", path: `${path}/one?resourceVersion=0` })
          : httpRequest(e, { method: "POST", path, body: configMap(`a${made++}`) }),
      success: (code) => code === (verb === "get" ? 200 : 201),
      unit: "op/s",
    },
    { timing, floor: undefined },
  );
}

const events = 400_000;
const batch = 500;
const inFlight = 4;
/** As long as one of a get by a service account. */
const eventBytes = 900;

async function benchService(folder: string): Promise<string> {
  const log = join(folder, "service.log");
  const service = await startProcess({
    name: "audit",
    script: fileURLToPath(new URL("../../services/audit/dist/main.js", import.meta.url)),
    args: [
      ...[`--audit-spool-directory=${join(folder, "spool")}`, `--audit-log-path=${log}`, "--audit-log-mode=batch"],
      ...["--audit-log-batch-max-size=1000", "--audit-log-maxsize=10000"],
    ],
    sameAgain: () => [],
  });
  const caller = connect({ target: service.addresses["rpc"] ?? "", log: silentLog });
  const head = '{"kind":"Event","apiVersion":"audit.orch/v1","level":"Metadata","auditID":"';
  const line = Buffer.from(`${head}${"x".repeat(eventBytes - head.length - 2)}"}`);
  const lines = joinLines(Array.from({ length: batch }, () => line));
  let sent = 0;
  const send = async (upTo: number): Promise<void> => {
    while (sent < upTo) {
      sent += batch;
      await caller.call(auditAppend, { lines, count: batch, strict: false });
    }
  };
  const sendAll = (upTo: number): Promise<unknown> => Promise.all(Array.from({ length: inFlight }, () => send(upTo)));
  const written = async (count: number): Promise<void> => {
    while ((await stat(log)).size < count * (eventBytes + 1)) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  try {
    await sendAll(events / 10);
    await written(sent);
    const [before, began, first] = [cpuMicroseconds(service.pid ?? 0), performance.now(), sent];
    await sendAll(events);
    await written(sent);
    const took = performance.now() - began;
    const each = (cpuMicroseconds(service.pid ?? 0) - before) / (sent - first);
    return `audit service: ${each.toFixed(1)} µs of CPU an event, from a batch to the file: ${Math.round(1e6 / each)} events/s on one core (${Math.round(((sent - first) / took) * 1000)}/s by the clock)`;
  } finally {
    await caller.close();
    await service.stop();
  }
}
