import { durationFlag, enumFlag, intFlag } from "./flag-types.js";
import { createLog, type LogOutput, levelOfVerbosity, logFormats, logLevels } from "./log.js";

/** Flags that every process has. */
export const commonFlags = {
  "log-level": enumFlag(logLevels, "info", { group: "Logs", help: "least level that is written" }),
  "logging-format": enumFlag(logFormats, "json", { group: "Logs", help: "form of the lines on standard error" }),
  v: intFlag(0, { group: "Logs", min: 0, help: "verbosity; 4 means debug, 6 trace; overrides --log-level" }),
  "shutdown-delay-duration": durationFlag(0, {
    group: "Process",
    help: "time between the fall of readiness and the stop of serving, so that balancers look elsewhere",
  }),
} as const;

/** The log that {@link commonFlags} ask for. */
export function logFromFlags(
  values: {
    readonly "log-level": (typeof logLevels)[number];
    readonly "logging-format": "json" | "text";
    readonly v: number;
  },
  fields: object,
): LogOutput {
  const level = values.v > 0 ? levelOfVerbosity(values.v) : values["log-level"];
  return createLog({ level, format: values["logging-format"], fields });
}
