import { createNaming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/status/clock.js";
import { createMachine } from "../../machine/machine.js";
import { probeOnce } from "../probe.js";
import { runnerPaths } from "../runner-paths.js";
import { supervise } from "../supervisor.js";

// A supervisor as a process, as `orchadm run` is one.
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
const hold = setInterval(() => {}, 60_000);
try {
  await supervise(
    {
      paths: runnerPaths(createMachine(process.argv[2] ?? ""), createNaming("orch")),
      ...{ clock: systemClock, probe: probeOnce, environment: process.env, pid: process.pid },
      log: (line) => void process.stdout.write(`${line}\n`),
    },
    stop.signal,
  );
} catch (error) {
  process.stdout.write(`${String(error)}\n`);
  process.exitCode = 1;
} finally {
  clearInterval(hold);
}
