import { messageOf } from "@orch/status/message-of.js";
import type { Process } from "./processes.js";
import type { RunnerPaths } from "./runner-paths.js";
import { writeStatus } from "./status-file.js";
import type { UnitStatus } from "./unit.js";

/** What a supervisor knows of its units, told to its log and to other processes. */
export interface Board {
  told(status: UnitStatus): void;
  gone(name: string): void;
  stateOf(name: string): UnitStatus["state"] | undefined;
  /** Paths, and what is wrong with them, by now. */
  problems(now: ReadonlyMap<string, string>): void;
}

export interface BoardOptions {
  readonly paths: RunnerPaths;
  readonly log: (line: string) => void;
  readonly supervisor: Process | undefined;
}

export function createBoard({ paths, log, supervisor }: BoardOptions): Board {
  const statuses = new Map<string, UnitStatus>();
  let problems: ReadonlyMap<string, string> = new Map();
  const publish = (): void => {
    const units = [...statuses.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    try {
      writeStatus(paths, {
        ...{ units, problems: Object.fromEntries(problems) },
        ...(supervisor === undefined ? {} : { supervisor }),
      });
    } catch (error) {
      log(`the status cannot be written: ${messageOf(error)}`);
    }
  };
  publish();
  return {
    told(status) {
      statuses.set(status.name, status);
      log(lineOf(status));
      publish();
    },
    gone(name) {
      statuses.delete(name);
      log(`${name}: stopped`);
      publish();
    },
    stateOf: (name) => statuses.get(name)?.state,
    problems(now) {
      const before = problems;
      problems = now;
      const others = [...now].filter(([path, problem]) => before.get(path) !== problem);
      for (const [path, problem] of others) log(`${path}: ${problem}`);
      if (others.length > 0 || now.size !== before.size) publish();
    },
  };
}

function lineOf({ name, state, pid, ready, problem = "", restarts }: UnitStatus): string {
  if (state === "running" && ready === undefined) return `${name}: running as process ${pid}`;
  if (state === "running") return `${name}: ${ready === true ? "ready" : "not ready"}`;
  return `${name}: ${problem}; ${state === "waiting" ? "to be started again" : "over"} after ${restarts} restarts`;
}
