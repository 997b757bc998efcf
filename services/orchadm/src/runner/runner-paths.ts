import { join } from "node:path";
import type { Naming } from "@orch/naming/naming.js";
import type { Machine } from "../machine/machine.js";
import { pathsOf } from "../machine/paths.js";

/** Where the units of a machine are, as processes of this one find it. */
export interface RunnerPaths {
  /** The root itself: where units run that name no folder. */
  readonly root: string;
  readonly manifests: string;
  readonly logs: string;
  /** Of the supervisor: its lock, its pid file, what it last saw. Gone with the next start of a real machine. */
  readonly state: string;
}

export function runnerPaths(machine: Machine, naming: Naming): RunnerPaths {
  const { manifests, logs } = pathsOf(naming);
  return {
    root: machine.at("/"),
    manifests: machine.at(manifests),
    logs: machine.at(logs),
    state: machine.at(statePath(naming)),
  };
}

/** As the machine has it itself. */
export const statePath = (naming: Naming): string => `/run/${naming.configurationWord("orchadm")}`;

export const logOf = (paths: RunnerPaths, name: string): string => join(paths.logs, `${name}.log`);
export const pidFile = (paths: RunnerPaths): string => join(paths.state, "supervisor.pid");
export const statusFile = (paths: RunnerPaths): string => join(paths.state, "units.json");
/** A unit with a file here is not to run. */
export const heldFolder = (paths: RunnerPaths): string => join(paths.state, "held");
/** Name of the supervisor's own log. */
export const supervisorLog = "supervisor";
