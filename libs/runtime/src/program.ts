import { type Clock, systemClock } from "./clock.js";
import { logFromFlags } from "./common-flags.js";
import { type Flags, type FlagValues, readCommandLine, usageExit } from "./flags.js";
import { createHealth, type Health } from "./health.js";
import type { Log } from "./log.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { type ReleaseSettings, releaseSettings } from "./release-flags.js";
import { version } from "./version.js";

/** What a program's `main.ts` begins with. */
export interface ProgramText<F extends Flags> {
  readonly name: string;
  readonly description: string;
  readonly flags: F;
}

export interface StartedProgram<F extends Flags> {
  readonly values: FlagValues<F>;
  readonly given: ReadonlySet<string>;
  /** Ends the process as a command line does that can not be read: the sentence on standard error, code 2. */
  readonly refuse: (problem: string) => never;
}

/** The values of a command line; prints help, version or what is wrong with it and ends the process where that is all. */
export function startProgram<F extends Flags>(program: ProgramText<F>, argv: readonly string[]): StartedProgram<F> {
  const line = readCommandLine({ ...program, version: version.gitVersion }, argv);
  const refuse = (problem: string): never => {
    process.stderr.write(`${program.name}: ${problem}\n`);
    return process.exit(usageExit);
  };
  if (line.run) return { values: line.values, given: line.given, refuse };
  (line.exitCode === 0 ? process.stdout : process.stderr).write(line.text);
  return process.exit(line.exitCode);
}

/** What every serving process has. */
export interface ProcessTools extends Pick<ReleaseSettings, "release" | "gates"> {
  readonly log: Log;
  /** Why the log cannot be written; undefined while it can. */
  readonly logFailure: () => string | undefined;
  readonly clock: Clock;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** `refuse` is the program's: the release flags are judged here, since only together they can be. */
export function processTools(
  service: string,
  values: Parameters<typeof logFromFlags>[0] &
    Parameters<typeof releaseSettings>[0] & { readonly "livez-grace-period": number },
  refuse: (problem: string) => never,
): ProcessTools {
  const settings = releaseSettings(values);
  if (!settings.ok) return refuse(settings.problem);
  const { release, gates, showHiddenMetricsFor, disabledMetrics } = settings.value;
  const { log, failure } = logFromFlags(values, { service });
  for (const warning of gates.warnings) log.warn({}, warning);
  const clock = systemClock;
  return {
    log,
    logFailure: failure,
    clock,
    health: createHealth({ clock, livezGracePeriod: values["livez-grace-period"] }),
    metrics: createMetrics({
      release,
      showHiddenFor: showHiddenMetricsFor,
      disabled: disabledMetrics,
      warn: (warning) => log.warn({}, warning),
    }),
    release,
    gates,
  };
}
