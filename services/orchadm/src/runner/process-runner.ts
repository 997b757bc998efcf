import { spawn } from "node:child_process";
import { realpathSync, rmSync } from "node:fs";
import { type Clock, sleep } from "@orch/status/clock.js";
import { hold, release } from "./held-units.js";
import { terminate } from "./keep-running.js";
import { endLeftovers } from "./leftovers.js";
import { withLog } from "./log-file.js";
import { readManifests } from "./manifest-folder.js";
import { isAlive, type MarkedProcess, markedProcesses, type Process } from "./processes.js";
import { logOf, type RunnerPaths, supervisorLog } from "./runner-paths.js";
import { adoptProcess } from "./start-process.js";
import { readStatus } from "./status-file.js";
import type { Runner, Unit, UnitStatus } from "./unit.js";

export interface ProcessRunnerOptions {
  readonly paths: RunnerPaths;
  readonly clock: Clock;
  /** Starts the supervisor of this machine, program first. */
  readonly supervisor: readonly [command: string, ...args: string[]];
  readonly environment: Readonly<NodeJS.ProcessEnv>;
}

const lookEveryMs = 50;
const beginWithinMs = 60_000;
/** The supervisor looks at its manifests each second. */
const noticeWithinMs = 10_000;
const endWithinMs = 90_000;

/** Units as children of a supervisor, a process that follows the folder of manifests by itself. */
export function createProcessRunner({ paths, clock, supervisor, environment }: ProcessRunnerOptions): Runner {
  const log = logOf(paths, supervisorLog);

  async function until(isSo: () => boolean, withinMs: number, otherwise: () => string): Promise<void> {
    const end = clock.monotonic() + withinMs;
    while (!isSo()) {
      if (clock.monotonic() > end) throw new Error(otherwise());
      await sleep(clock, lookEveryMs);
    }
  }

  async function begin(): Promise<void> {
    if (supervisorOf(paths) !== undefined) return;
    const [command, ...args] = supervisor;
    const child = withLog(log, (file) =>
      spawn(command, args, { cwd: "/", env: environment, stdio: ["ignore", file, file], detached: true }),
    );
    let over = "";
    child.once("error", (error) => {
      over = error.message;
    });
    child.once("exit", (code, by) => {
      over = by ?? `exit code ${code}`;
    });
    child.unref();
    const isThere = (): boolean => supervisorOf(paths) !== undefined;
    const otherwise = (): string => `the supervisor of ${paths.root} did not start${over && `: ${over}`}; see ${log}`;
    // One that ended may have found another one, which is just starting.
    await until(() => isThere() || over !== "", beginWithinMs, otherwise);
    await until(isThere, over === "" ? 0 : noticeWithinMs, otherwise);
  }

  async function start(unit: Unit): Promise<void> {
    const { name, hash, stopWithinMs } = unit;
    if (readManifests(paths.manifests).units.get(name)?.unit.hash !== hash) {
      throw new Error(`no manifest in ${paths.manifests} is that of ${name} which is to be started`);
    }
    release(paths, name);
    await begin();
    const isStarted = (): boolean => readStatus(paths).units.some((each) => each.name === name && each.hash === hash);
    await until(isStarted, stopWithinMs + noticeWithinMs, () => `${name} was not started; see ${log}`);
  }

  const list = async (): Promise<readonly UnitStatus[]> =>
    supervisorOf(paths) === undefined ? unsupervised(paths) : readStatus(paths).units;

  return {
    kind: "process",
    ...{ begin, start, list },
    status: async (name) => (await list()).find((each) => each.name === name),
    async stop(name) {
      const mine = (): readonly MarkedProcess[] => processesOf(paths).filter(({ mark }) => mark.name === name);
      const before = readStatus(paths).units.some((each) => each.name === name);
      if (before || readManifests(paths.manifests).units.has(name)) hold(paths, name);
      const isGone = (): boolean =>
        mine().length === 0 && !readStatus(paths).units.some((each) => each.name === name && each.state !== "stopped");
      const stays = (): string => `${name} does not end; see ${log}`;
      if (supervisorOf(paths) !== undefined) await until(isGone, endWithinMs, stays);
      else await endLeftovers(mine(), { clock, log: () => {} });
    },
    async end() {
      const running = supervisorOf(paths);
      if (running !== undefined) await terminate(adoptProcess(running, clock), endWithinMs, clock);
      await endLeftovers(processesOf(paths), { clock, log: () => {} });
      rmSync(paths.state, { recursive: true, force: true });
    },
  };
}

function supervisorOf(paths: RunnerPaths): Process | undefined {
  const { supervisor } = readStatus(paths);
  return supervisor !== undefined && isAlive(supervisor) ? supervisor : undefined;
}

function processesOf(paths: RunnerPaths): readonly MarkedProcess[] {
  let owner: string;
  try {
    owner = realpathSync(paths.state);
  } catch {
    return [];
  }
  return markedProcesses(owner);
}

/** What there is where nobody supervises: manifests, and perhaps processes that somebody left. */
function unsupervised(paths: RunnerPaths): readonly UnitStatus[] {
  const left = new Map(
    processesOf(paths)
      .filter(({ pid, group }) => pid === group)
      .map(({ pid, mark }) => [mark.name, { pid, hash: mark.hash }]),
  );
  const names = new Set([...left.keys(), ...readManifests(paths.manifests).units.keys()]);
  return [...names].sort().map((name) => {
    const process = left.get(name);
    return process === undefined
      ? { name, state: "stopped", hash: "", restarts: 0 }
      : { name, state: "running", restarts: 0, ...process };
  });
}
