import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { pino, stdSerializers, stdTimeFunctions } from "pino";
import { boundedFields, boundedText } from "./log-bounds.js";
import type { LogFormat, LogLevel } from "./log-levels.js";

/** Structured log: fields first, then a sentence that does not vary. An error goes under `err`. */
export interface Log {
  trace(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** The same log with fields added to every line. */
  child(fields: object): Log;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Fields of every line: the service's name, for example. */
  readonly fields?: object;
  /** Where lines go; standard error where absent. */
  readonly write?: (line: string) => void;
}

export interface LogOutput {
  readonly log: Log;
  /** Why the last line could not be written; undefined while all is well: the `log` health check. */
  failure(): string | undefined;
  /** The least level that is written from now on, by this log and by children that are made of it later. */
  setLevel(level: LogLevel): void;
}

/** A log on pino, in this thread: a worker transport would lose the last lines of a process that dies. */
export function createLog(options: LogOptions): LogOutput {
  let failure: string | undefined;
  const target = options.write ?? ((line: string) => void process.stderr.write(line));
  // Without a listener a reader that went away is an uncaught exception, which is logged, which is one more.
  if (options.write === undefined) {
    process.stderr.on("error", (error) => {
      failure = error.message;
    });
  }
  const stream = {
    write(line: string): void {
      try {
        target(options.format === "json" ? line : textLine(line));
        failure = undefined;
      } catch (error) {
        failure = messageOf(error);
      }
    },
  };
  const log = pino(
    {
      level: options.level,
      base: { ...options.fields },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: boundedFields },
      serializers: { err: (error) => boundedFields(stdSerializers.err(error)) },
      hooks: {
        logMethod([fields, message], method) {
          method.apply(this, [fields, boundedText(message ?? "")]);
        },
      },
    },
    stream,
  );
  return {
    log,
    failure: () => failure,
    setLevel(level) {
      log.level = level;
    },
  };
}

/** The reference's `--v` numbers as levels: 4 is debug, 6 and more trace. */
export function levelOfVerbosity(v: number): LogLevel {
  if (v >= 6) return "trace";
  return v >= 4 ? "debug" : "info";
}

/** `2025-01-01T00:00:00.000Z info  gateway: listening address=127.0.0.1:6443`. */
function textLine(json: string): string {
  const { time, level, msg, err, ...fields }: Readonly<Record<string, unknown>> = readJson(json);
  const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${shown(value)}`);
  return `${String(time)} ${String(level).padEnd(5)} ${harmless(String(msg ?? ""))}${pairs.join("")}${stackOf(err)}\n`;
}

/** A terminal obeys what it is shown: control characters of a client's text are written as escapes, as JSON does. */
function shown(value: unknown): string {
  const plain = typeof value === "string" && !/[\s"=\p{Cc}]/u.test(value);
  return plain ? value : harmless(JSON.stringify(value));
}

function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function stackOf(err: unknown): string {
  if (typeof err !== "object" || err === null) return err === undefined ? "" : ` err=${shown(err)}`;
  const text = "stack" in err ? err.stack : "message" in err ? err.message : JSON.stringify(err);
  return `\n  ${harmless(String(text)).replaceAll("\n", "\n  ")}`;
}

/** A log that says nothing: for tests and for tools that print. */
export const silentLog: Log = {
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};
