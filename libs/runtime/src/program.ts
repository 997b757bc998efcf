import { type Clock, systemClock } from "./clock.js";
import { engineWarning } from "./engine.js";
import { type EventLoopWatch, watchEventLoop } from "./event-loop.js";
import type { commonFlags } from "./flags/common-flags.js";
import type { FlagValues } from "./flags/flags.js";
import { type ReleaseSettings, releaseSettings } from "./flags/release-flags.js";
import { createHealth, type Health } from "./health.js";
import { countBuffersAsHeap } from "./heap.js";
import { createLog, type Log, type LogOutput, levelOfVerbosity } from "./log.js";
import type { LogLevel } from "./log-levels.js";
import { createMetrics, type Metrics } from "./metrics.js";

/** What every serving process has. */
export interface ProcessTools extends Pick<ReleaseSettings, "release" | "gates"> {
  readonly log: Log;
  /** From now on the log says as much as with `--v` of this number; 0 and less: as the flags say. */
  readonly setVerbosity: (level: number) => void;
  readonly clock: Clock;
  /** With the check `log`: whether the log can be written. */
  readonly health: Health;
  readonly metrics: Metrics;
  /** What this process is about to work on, for whoever asks what held its event loop. */
  readonly noteWork: EventLoopWatch["note"];
}

type LogFlagValues = Pick<FlagValues<typeof commonFlags>, "log-level" | "logging-format" | "v">;

/** `refuse` is the program's: the release flags are judged here, since only together they can be. */
export function processTools(
  service: string,
  values: LogFlagValues & Parameters<typeof releaseSettings>[0] & { readonly "livez-grace-period": number },
  refuse: (problem: string) => never,
): ProcessTools {
  countBuffersAsHeap();
  const settings = releaseSettings(values);
  if (!settings.ok) return refuse(settings.problem);
  const { release, gates, showHiddenMetricsFor, disabledMetrics } = settings.value;
  const { log, failure, setLevel } = logFromFlags(values, { service });
  const written = (level: LogLevel): void => {
    setLevel("info");
    log.info({ written: level }, "the level of the log has been changed");
    setLevel(level);
  };
  const usual = levelOf(values);
  changeLevelOnSignal(written, usual);
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
    setVerbosity: (level) => written(level > 0 ? levelOfVerbosity(level) : usual),
    clock,
    health,
    metrics,
    noteWork: watchEventLoop({ clock, metrics, log }).note,
    release,
    gates,
  };
}

/** SIGUSR2 makes the log say more: debug, then trace, then as the flags say again. */
function changeLevelOnSignal(written: (level: LogLevel) => void, usual: LogLevel): void {
  const levels = [...new Set<LogLevel>([usual, "debug", "trace"])];
  let at = 0;
  process.on("SIGUSR2", () => {
    at = (at + 1) % levels.length;
    written(levels[at] ?? usual);
  });
}

const levelOf = (values: LogFlagValues): LogLevel => (values.v > 0 ? levelOfVerbosity(values.v) : values["log-level"]);

/** The log that the flags ask for. */
function logFromFlags(values: LogFlagValues, fields: object): LogOutput {
  return createLog({ level: levelOf(values), format: values["logging-format"], fields });
}
