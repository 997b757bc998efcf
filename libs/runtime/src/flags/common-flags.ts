import { logFormats, logLevels } from "../log-levels.js";
import { durationFlag, enumFlag, intFlag, stringFlag } from "./flag-types.js";

/** Flags that every process has. */
export const commonFlags = {
  "log-level": enumFlag(logLevels, "info", { group: "Logs", help: "least level that is written" }),
  "logging-format": enumFlag(logFormats, "json", { group: "Logs", help: "form of the lines on standard error" }),
  v: intFlag(0, { group: "Logs", min: 0, help: "verbosity; 4 means debug, 6 trace; overrides --log-level" }),
  "shutdown-delay-duration": durationFlag(0, {
    group: "Process",
    help: "time between the fall of readiness and the stop of serving, so that balancers look elsewhere",
  }),
  "tracing-config-file": stringFlag("", {
    group: "Tracing",
    word: "file",
    help: "TracingConfiguration: the collector that gets spans as OTLP over gRPC, and how many; nothing is traced where empty",
  }),
} as const;
