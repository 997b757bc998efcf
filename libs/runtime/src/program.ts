import { type Clock, systemClock } from "./clock.js";
import type { commonFlags } from "./common-flags.js";
import { engineWarning } from "./engine.js";
import { type EventLoopWatch, watchEventLoop } from "./event-loop.js";
import type { FlagValues } from "./flags.js";
import { createHealth, type Health } from "./health.js";
import { createLog, type Log, type LogOutput, levelOfVerbosity } from "./log.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { type ReleaseSettings, releaseSettings } from "./release-flags.js";

/** What every serving process has. */
export interface ProcessTools extends Pick<ReleaseSettings, "release" | "gates"> {
  readonly log: Log;
  readonly clock: Clock;
  /** With the check `log`: whether the log can be written. */
  readonly health: Health;
  readonly metrics: Metrics;
  /** What this process is about to work on, for whoever asks what held its event loop. */
  readonly noteWork: EventLoopWatch["note"];
}

/** `refuse` is the program's: the release flags are judged here, since only together they can be. */
export function processTools(
  service: string,
  values: Omit<FlagValues<typeof commonFlags>, "shutdown-delay-duration"> &
    Parameters<typeof releaseSettings>[0] & { readonly "livez-grace-period": number },
  refuse: (problem: string) => never,
): ProcessTools {
  const settings = releaseSettings(values);
  if (!settings.ok) return refuse(settings.problem);
  const { release, gates, showHiddenMetricsFor, disabledMetrics } = settings.value;
  const { log, failure } = logFromFlags(values, { service });
  for (const warning of gates.warnings) log.warn({}, warning);
  const engine = engineWarning(process.version);
  if (engine !== undefined) log.warn({ node: process.version }, engine);
  const clock = systemClock;
  const metrics = createMetrics({
    release,
    showHiddenFor: showHiddenMetricsFor,
    disabled: disabledMetrics,
    warn: (warning) => log.warn({}, warning),
  });
  const health = createHealth({ clock, livezGracePeriod: values["livez-grace-period"] });
  health.check("log", failure);
  return {
    log,
    clock,
    health,
    metrics,
    noteWork: watchEventLoop({ clock, metrics, log }).note,
    release,
    gates,
  };
}

/** The log that the flags ask for. */
function logFromFlags(
  values: Omit<FlagValues<typeof commonFlags>, "shutdown-delay-duration">,
  fields: object,
): LogOutput {
  const level = values.v > 0 ? levelOfVerbosity(values.v) : values["log-level"];
  return createLog({ level, format: values["logging-format"], fields });
}
