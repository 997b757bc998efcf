import { spawn } from "node:child_process";
import { type Clock, sleep } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";
import { withLog } from "./log-file.js";
import { isAlive, markVariable, type Process, processOf, showMark, signal } from "./processes.js";
import type { Unit } from "./unit.js";

/** A process of a unit, started here or found. */
export interface Running {
  readonly pid: number;
  /** Why it ended, for a person: `exit code 1`, `SIGKILL`. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  signal(name: NodeJS.Signals, to: "process" | "group"): void;
}

export interface ProcessEnd {
  readonly why: string;
  /** Whether it ended by itself with code 0. */
  readonly isSuccess: boolean;
}

export interface StartOptions {
  /** Folder of the supervisor's state, without symbolic links. */
  readonly owner: string;
  /** Where a unit without a folder of its own runs. */
  readonly workingDir: string;
  readonly log: string;
  /** What units have of the supervisor's environment, beside their own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Everything else of an environment is the matter of whoever started the supervisor. */
const inherited = ["PATH", "HOME", "TMPDIR", "TZ", "LANG"];

/** Starts a unit as the leader of a group and a session of its own: what ends the supervisor does not end it. Never throws. */
export function startProcess(unit: Unit, options: StartOptions): Running {
  try {
    return withLog(options.log, (log) => spawned(unit, log, options));
  } catch (error) {
    return notStarted(messageOf(error));
  }
}

function spawned(unit: Unit, log: number, { owner, workingDir, environment }: StartOptions): Running {
  const own = inherited.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
  const child = spawn(unit.command, unit.args, {
    cwd: unit.workingDir ?? workingDir,
    env: {
      ...Object.fromEntries(own),
      ...unit.env,
      [markVariable]: showMark({ name: unit.name, hash: unit.hash, owner }),
    },
    stdio: ["ignore", log, log],
    detached: true,
    ...(unit.user ?? {}),
  });
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("error", (error) => resolve({ why: `can not be run: ${error.message}`, isSuccess: false }));
    child.once("exit", (code, by) => resolve({ why: by ?? `exit code ${code}`, isSuccess: code === 0 }));
  });
  const { pid } = child;
  if (pid === undefined) return { pid: 0, ended, signal: () => {} };
  return { pid, ended, signal: (name, to) => signal(pid, name, to) };
}

const notStarted = (why: string): Running => ({
  pid: 0,
  ended: Promise.resolve({ why: `can not be run: ${why}`, isSuccess: false }),
  signal: () => {},
});

/** How often it is looked whether a process that is somebody else's child is still there. */
const lookEveryMs = 250;

/** A process that another supervisor started. How it ends cannot be known. */
export function adoptProcess(found: Process, clock: Pick<Clock, "after">): Running {
  const untilGone = async (): Promise<ProcessEnd> => {
    while (isAlive(found)) await sleep(clock, lookEveryMs);
    return { why: "ended", isSuccess: false };
  };
  return {
    pid: found.pid,
    ended: untilGone(),
    signal(name, to) {
      // The id of a process that is gone may be somebody else's.
      if (to === "group" || processOf(found.pid)?.started === found.started) signal(found.pid, name, to);
    },
  };
}
