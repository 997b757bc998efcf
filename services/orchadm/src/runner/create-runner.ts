import { existsSync } from "node:fs";
import { runProgram } from "@orch/client/credentials/run-program.js";
import type { Tools } from "../world.js";
import { createNoRunner } from "./none-runner.js";
import { createProcessRunner } from "./process-runner.js";
import { runnerPaths } from "./runner-paths.js";
import { createSystemdRunner, type Systemctl } from "./systemd-runner.js";
import type { Runner, RunnerKind } from "./unit.js";

/** Of `--runner`. */
export const runnerChoices = ["auto", "process", "systemd", "none"] as const;
export type RunnerChoice = (typeof runnerChoices)[number];

type RunnerTools = Pick<Tools, "machine" | "naming" | "clock" | "environment" | "program">;

/** Where systemd has started the machine there is this folder. */
const systemdRuns = "/run/systemd/system";

/** `auto`: systemd where it runs the machine and the files are the machine's own, else plain processes. */
export function createRunner(choice: RunnerChoice, tools: RunnerTools): Runner {
  const { machine, naming, clock, environment, program } = tools;
  const paths = runnerPaths(machine, naming);
  switch (kindOf(choice, machine.root)) {
    case "none":
      return createNoRunner(paths);
    case "systemd":
      return createSystemdRunner({ machine, paths, systemctl: systemctlOf(tools), prefix: naming.systemName("") });
    case "process": {
      const { command, args } = program;
      const dialect = `--api-dialect=${naming.dialect}`;
      const root = machine.root === "" ? [] : [`--rootfs=${machine.root}`];
      return createProcessRunner({
        ...{ paths, clock, environment },
        supervisor: [command, ...args, "adm", "run", dialect, ...root],
      });
    }
  }
}

function kindOf(choice: RunnerChoice, root: string): RunnerKind {
  if (choice !== "auto") return choice;
  return root === "" && existsSync(systemdRuns) ? "systemd" : "process";
}

/** An orderly stop takes its time. */
const longestMs = 120_000;
const longestOutput = 1024 * 1024;

const systemctlOf =
  ({ clock, environment }: Pick<Tools, "clock" | "environment">): Systemctl =>
  (args) =>
    runProgram({
      ...{ command: "systemctl", args, environment, clock, input: false },
      ...{ timeoutMs: longestMs, outputBytes: longestOutput },
    });
