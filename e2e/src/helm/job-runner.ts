import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { printClientConfig } from "@orch/client/config.js";
import type { Client } from "@orch/client/http/http.js";
import type { ApiObject } from "@orch/client/objects.js";
import { orch } from "../command-line-program.js";
import type { Target } from "../harness/target.js";
import { listAt, textAt } from "./rendered.js";

const lookEveryMs = 100;

export interface JobRunner {
  /** What the programs have printed, one text for each run. */
  readonly printed: readonly string[];
  stop(): Promise<void>;
}

export interface JobRunnerPlace {
  readonly target: Target;
  readonly client: Client;
  readonly namespace: string;
  readonly folder: string;
}

/**
 * In the place of a job controller and a kubelet: runs the program of each Job of a namespace, as the Job's own service
 * account, and says that it is complete. Other pods end well without being run.
 */
export function runJobs({ target, client, namespace, folder }: JobRunnerPlace): JobRunner {
  const printed: string[] = [];
  const seen = new Set<string>();
  let stopped = false;
  const jobs = { group: "batch", version: "v1", resource: "jobs", namespace };
  const pods = { group: "", version: "v1", resource: "pods", namespace };
  const merge = "application/merge-patch+json";

  const tokenOf = async (account: string): Promise<string> => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const body = JSON.stringify({ kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", spec: {} });
    const answer = await client.raw({ method: "POST", path, body });
    return textAt(JSON.parse(answer.body.toString("utf8")), "status.token");
  };
  const runJob = async (job: ApiObject): Promise<void> => {
    const account = textAt(job, "spec.template.spec.serviceAccountName");
    const args = listAt(job, "spec.template.spec.containers.0.args").map(String);
    const config = join(folder, `${account}.config`);
    const { naming, urls, pki } = target;
    const token = await tokenOf(account);
    await writeFile(config, printClientConfig({ naming, server: urls[0] ?? "", ca: pki.ca, user: account, token }));
    const { code, out, err } = await orch(...args, `--orchconfig=${config}`);
    printed.push(`${out}${err}`);
    const now = new Date().toISOString().replace(/\.\d+/, "");
    const type = code === 0 ? "Complete" : "Failed";
    const condition = (name: string) => ({ type: name, status: "True", lastProbeTime: now, lastTransitionTime: now });
    const status = {
      startTime: now,
      ...(code === 0 ? { completionTime: now, succeeded: 1 } : { failed: 1 }),
      conditions: [condition(code === 0 ? "SuccessCriteriaMet" : "FailureTarget"), condition(type)],
    };
    await client.patch(jobs, job.metadata.name ?? "", { type: merge, body: { status }, subresource: "status" });
  };
  const round = async (): Promise<void> => {
    for (const job of (await client.list(jobs)).items) {
      const { uid = "" } = job.metadata;
      if (seen.has(uid)) continue;
      seen.add(uid);
      await runJob(job);
    }
    for (const { metadata } of (await client.list(pods)).items) {
      const { uid = "", name = "" } = metadata;
      if (seen.has(uid)) continue;
      seen.add(uid);
      await client.patch(pods, name, { type: merge, body: { status: { phase: "Succeeded" } }, subresource: "status" });
    }
  };
  const loop = (async () => {
    while (!stopped) {
      // An object may be gone by the time that its status is written.
      await round().catch((error: unknown) => printed.push(String(error)));
      await delay(lookEveryMs);
    }
  })();
  return {
    printed,
    async stop() {
      stopped = true;
      await loop;
    },
  };
}
