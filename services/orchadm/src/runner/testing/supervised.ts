import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createNaming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/status/clock.js";
import { createMachine } from "../../machine/machine.js";
import { unitOfManifest } from "../manifest.js";
import { createProcessRunner } from "../process-runner.js";
import { markedProcesses } from "../processes.js";
import { type RunnerPaths, runnerPaths } from "../runner-paths.js";
import { readStatus } from "../status-file.js";
import type { Runner, Unit, UnitStatus } from "../unit.js";
import { type PodText, podText } from "./pod.js";

const script = fileURLToPath(new URL("./supervisor-process.js", import.meta.url));

/** A root with a supervisor in a process of its own. */
export interface Supervised {
  readonly paths: RunnerPaths;
  readonly runner: Runner;
  /** Writes a manifest as others do, whole or not at all. */
  manifest(pod: PodText): Unit;
  /** Writes whatever text into the folder. */
  text(name: string, text: string): void;
  remove(name: string): void;
  /** Starts a supervisor, if another one runs as well. */
  supervisor(): ChildProcess;
  /** Resolves with the status of a unit once it is so. */
  until(name: string, isSo: (status: UnitStatus | undefined) => boolean): Promise<UnitStatus | undefined>;
  /** Ids of all processes of units. */
  pids(): readonly number[];
  problems(): Readonly<Record<string, string>>;
  log(name: string): string;
  close(): Promise<void>;
}

export function openSupervised(): Supervised {
  const root = mkdtempSync(join(tmpdir(), "orchadm-run-"));
  const paths = runnerPaths(createMachine(root), createNaming("orch"));
  mkdirSync(paths.manifests, { recursive: true });
  const runner = createProcessRunner({
    ...{ paths, clock: systemClock, environment: process.env },
    supervisor: [process.execPath, script, root],
  });
  const supervisors: ChildProcess[] = [];
  const text = (name: string, of: string): void => {
    writeFileSync(join(paths.manifests, `.${name}`), of);
    renameSync(join(paths.manifests, `.${name}`), join(paths.manifests, `${name}.yaml`));
  };
  return {
    ...{ paths, runner, text },
    manifest(pod) {
      text(pod.name, podText(pod));
      return unitOfManifest(podText(pod));
    },
    remove: (name) => rmSync(join(paths.manifests, `${name}.yaml`)),
    supervisor() {
      const child = spawn(process.execPath, [script, root], { stdio: ["ignore", "pipe", "inherit"] });
      child.stdout.resume();
      supervisors.push(child);
      return child;
    },
    async until(name, isSo) {
      const end = Date.now() + 20_000;
      for (;;) {
        const status = readStatus(paths).units.find((each) => each.name === name);
        if (isSo(status)) return status;
        if (Date.now() > end) throw new Error(`${name} stays ${JSON.stringify(status)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    pids: () => markedProcesses(paths.state).map(({ pid }) => pid),
    problems: () => readStatus(paths).problems,
    log: (name) => readFileSync(join(paths.logs, `${name}.log`), "utf8"),
    async close() {
      await runner.end();
      for (const child of supervisors) child.kill("SIGKILL");
      rmSync(root, { recursive: true, force: true });
    },
  };
}
