import { type Clock, systemClock } from "./clock.js";
import { logFromFlags } from "./common-flags.js";
import { type Flags, type FlagValues, readCommandLine } from "./flags.js";
import { createHealth, type Health } from "./health.js";
import type { Log } from "./log.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { version } from "./version.js";

/** What a program's `main.ts` begins with. */
export interface ProgramText<F extends Flags> {
  readonly name: string;
  readonly description: string;
  readonly flags: F;
}

/** The values of a command line; prints help, version or what is wrong with it and ends the process where that is all. */
export function startProgram<F extends Flags>(
  program: ProgramText<F>,
  argv: readonly string[],
): { readonly values: FlagValues<F>; readonly given: ReadonlySet<string> } {
  const line = readCommandLine({ ...program, version: version.gitVersion }, argv);
  if (line.run) return line;
  (line.exitCode === 0 ? process.stdout : process.stderr).write(line.text);
  return process.exit(line.exitCode);
}

/** What every serving process has. */
export interface ProcessTools {
  readonly log: Log;
  /** Why the log cannot be written; undefined while it can. */
  readonly logFailure: () => string | undefined;
  readonly clock: Clock;
  readonly health: Health;
  readonly metrics: Metrics;
}

export function processTools(
  service: string,
  values: Parameters<typeof logFromFlags>[0] & { readonly "livez-grace-period": number },
): ProcessTools {
  const { log, failure } = logFromFlags(values, { service });
  const clock = systemClock;
  return {
    log,
    logFailure: failure,
    clock,
    health: createHealth({ clock, livezGracePeriod: values["livez-grace-period"] }),
    metrics: createMetrics({ release: version.release }),
  };
}
