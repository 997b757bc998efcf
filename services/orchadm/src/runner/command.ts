import { command } from "../command-line.js";
import { probeOnce } from "./probe.js";
import { runnerPaths } from "./runner-paths.js";
import { supervise } from "./supervisor.js";

/** `orchadm run`: the supervisor of a machine without another one. */
export const runCommand = command({
  word: "run",
  description:
    "Runs what the machine's manifests say, a process each, until it is stopped; init and join start it by themselves.",
  flags: {},
  async run(_line, { machine, naming, clock, environment, print, pid, untilStopped }) {
    const log = (line: string): void => print(`${new Date(clock.now()).toISOString()} ${line}\n`);
    await supervise(
      { ...{ clock, environment, log, pid }, paths: runnerPaths(machine, naming), probe: probeOnce },
      untilStopped(),
    );
    return 0;
  },
});
