import { type Mode, modes } from "@orch/audit/event.js";
import type { SizeLimits } from "@orch/audit/truncate.js";
import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import type { spoolFlags } from "@orch/runtime/flags/spool-flags.js";
import type { DeliveryOptions } from "./delivery.js";
import type { sinkFlags } from "./flags.js";
import type { KafkaCompression } from "./sinks/kafka.js";
import type { LogFormat } from "./sinks/log.js";

export type SinkFlagValues = FlagValues<typeof sinkFlags>;
export type SpoolFlagValues = FlagValues<typeof spoolFlags>;

/** What every sink has. */
export interface SinkSettings {
  readonly delivery: DeliveryOptions;
  readonly truncate: SizeLimits | undefined;
}

export interface LogSettings extends SinkSettings {
  /** `-`: standard output. */
  readonly path: string;
  readonly format: LogFormat;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly maxBackups: number;
  readonly compress: boolean;
}

export interface WebhookSettings extends SinkSettings {
  readonly configFile: string;
}

/** Files are read when the sink is made. */
export interface KafkaSettings extends SinkSettings {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly clientId: string;
  readonly acks: -1 | 0 | 1;
  readonly compression: KafkaCompression;
  readonly timeoutMs: number;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
  readonly sasl:
    | {
        readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
        readonly usernameFile: string;
        readonly passwordFile: string;
      }
    | undefined;
}

/** The sinks that are configured, and where events wait for them. */
export interface AuditSettings {
  readonly log: LogSettings | undefined;
  readonly webhook: WebhookSettings | undefined;
  readonly kafka: KafkaSettings | undefined;
  readonly spool: { readonly folder: string; readonly maxBytes: number };
}

type PluginName = "log" | "webhook" | "kafka";

const megabyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1000;
/** Of a rotated file where no flag says. */
const usualMegabytes = 100;
const formats: readonly LogFormat[] = ["legacy", "json"];
const acks = { all: -1, leader: 1, none: 0 } as const;
/** In modes that do not gather events, what has come is delivered together. */
const blockingBatch = 1_000;
const logBackoffMs = 500;

/** The flags' values as settings; every problem is told, in the reference's words where it has them. */
export function auditSettings(values: SinkFlagValues & SpoolFlagValues, naming: Naming): Parsed<AuditSettings> {
  const problems: string[] = [];
  const tell = (problem: string | undefined): void => {
    if (problem !== undefined) problems.push(problem);
  };
  const log = values["audit-log-path"] === "" ? undefined : logSettings(values, naming, tell);
  const webhook = values["audit-webhook-config-file"] === "" ? undefined : webhookSettings(values, naming, tell);
  const kafka = values["audit-kafka-brokers"].length === 0 ? undefined : kafkaSettings(values, naming, tell);
  if (problems.length > 0) return { ok: false, problems };
  const spool = { folder: values["audit-spool-directory"], maxBytes: values["audit-spool-max-bytes"] };
  return { ok: true, value: { log, webhook, kafka, spool } };
}

/** The modes of the sinks that are configured. */
export function modesOf({ log, webhook, kafka }: AuditSettings): readonly Mode[] {
  return [log, webhook, kafka].flatMap((sink) => (sink === undefined ? [] : [sink.delivery.mode]));
}

type Tell = (problem: string | undefined) => void;

function logSettings(values: SinkFlagValues, naming: Naming, tell: Tell): LogSettings {
  const shared = sinkSettings(
    "log",
    {
      mode: values["audit-log-mode"],
      bufferSize: values["audit-log-batch-buffer-size"],
      maxSize: values["audit-log-batch-max-size"],
      maxWaitMs: values["audit-log-batch-max-wait"],
      throttled: values["audit-log-batch-throttle-enable"],
      qps: values["audit-log-batch-throttle-qps"],
      burst: values["audit-log-batch-throttle-burst"],
      truncated: values["audit-log-truncate-enabled"],
      maxEventSize: values["audit-log-truncate-max-event-size"],
      maxBatchSize: values["audit-log-truncate-max-batch-size"],
      version: values["audit-log-version"],
      initialBackoffMs: logBackoffMs,
    },
    { naming, tell },
  );
  for (const flag of ["audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize"] as const) {
    if (values[flag] < 0) tell(`--${flag} ${values[flag]} can't be a negative number`);
  }
  const format = formats.find((one) => one === values["audit-log-format"]);
  if (format === undefined) {
    tell(`invalid audit log format ${values["audit-log-format"]}, allowed formats are "${formats.join(",")}"`);
  }
  return {
    ...shared,
    path: values["audit-log-path"],
    format: format ?? "json",
    maxBytes: (values["audit-log-maxsize"] || usualMegabytes) * megabyte,
    maxAgeMs: values["audit-log-maxage"] * dayMs,
    maxBackups: values["audit-log-maxbackup"],
    compress: values["audit-log-compress"],
  };
}

function webhookSettings(values: SinkFlagValues, naming: Naming, tell: Tell): WebhookSettings {
  const shared = sinkSettings(
    "webhook",
    {
      mode: values["audit-webhook-mode"],
      bufferSize: values["audit-webhook-batch-buffer-size"],
      maxSize: values["audit-webhook-batch-max-size"],
      maxWaitMs: values["audit-webhook-batch-max-wait"],
      throttled: values["audit-webhook-batch-throttle-enable"],
      qps: values["audit-webhook-batch-throttle-qps"],
      burst: values["audit-webhook-batch-throttle-burst"],
      truncated: values["audit-webhook-truncate-enabled"],
      maxEventSize: values["audit-webhook-truncate-max-event-size"],
      maxBatchSize: values["audit-webhook-truncate-max-batch-size"],
      version: values["audit-webhook-version"],
      initialBackoffMs: values["audit-webhook-initial-backoff"],
    },
    { naming, tell },
  );
  return { ...shared, configFile: values["audit-webhook-config-file"] };
}

function kafkaSettings(values: SinkFlagValues, naming: Naming, tell: Tell): KafkaSettings {
  const shared = sinkSettings(
    "kafka",
    {
      mode: values["audit-kafka-mode"],
      bufferSize: values["audit-kafka-batch-buffer-size"],
      maxSize: values["audit-kafka-batch-max-size"],
      maxWaitMs: values["audit-kafka-batch-max-wait"],
      throttled: values["audit-kafka-batch-throttle-enable"],
      qps: values["audit-kafka-batch-throttle-qps"],
      burst: values["audit-kafka-batch-throttle-burst"],
      truncated: values["audit-kafka-truncate-enabled"],
      maxEventSize: values["audit-kafka-truncate-max-event-size"],
      maxBatchSize: values["audit-kafka-truncate-max-batch-size"],
      version: values["audit-kafka-version"],
      initialBackoffMs: values["audit-kafka-initial-backoff"],
    },
    { naming, tell },
  );
  if (values["audit-kafka-topic"] === "") tell("--audit-kafka-topic is needed");
  const files = {
    ca: values["audit-kafka-ca-file"],
    cert: values["audit-kafka-cert-file"],
    key: values["audit-kafka-key-file"],
  };
  const hasFiles = Object.values(files).some((path) => path !== "");
  if (hasFiles && !values["audit-kafka-tls"]) tell("certificates for brokers need --audit-kafka-tls");
  if ((files.cert === "") !== (files.key === "")) {
    tell("--audit-kafka-cert-file and --audit-kafka-key-file go together");
  }
  const mechanism = values["audit-kafka-sasl-mechanism"];
  const usernameFile = values["audit-kafka-sasl-username-file"];
  const passwordFile = values["audit-kafka-sasl-password-file"];
  if (mechanism !== "none" && (usernameFile === "" || passwordFile === "")) {
    tell("--audit-kafka-sasl-mechanism needs --audit-kafka-sasl-username-file and --audit-kafka-sasl-password-file");
  }
  return {
    ...shared,
    brokers: values["audit-kafka-brokers"],
    topic: values["audit-kafka-topic"],
    clientId: values["audit-kafka-client-id"],
    acks: acks[values["audit-kafka-acks"]],
    compression: values["audit-kafka-compression"],
    timeoutMs: values["audit-kafka-timeout"],
    tls: values["audit-kafka-tls"] ? files : undefined,
    sasl: mechanism === "none" ? undefined : { mechanism, usernameFile, passwordFile },
  };
}

interface SharedFlags {
  readonly mode: string;
  readonly bufferSize: number;
  readonly maxSize: number;
  readonly maxWaitMs: number;
  readonly throttled: boolean;
  readonly qps: number;
  readonly burst: number;
  readonly truncated: boolean;
  readonly maxEventSize: number;
  readonly maxBatchSize: number;
  readonly version: string;
  readonly initialBackoffMs: number;
}

function sinkSettings(
  plugin: PluginName,
  given: SharedFlags,
  { naming, tell }: { readonly naming: Naming; readonly tell: Tell },
): SinkSettings {
  const mode = modes.find((one) => one === given.mode);
  tell(
    mode === undefined
      ? `invalid audit ${plugin} mode ${given.mode}, allowed modes are "${modes.join(",")}"`
      : undefined,
  );
  if (mode === "batch") tell(batchProblem(plugin, given));
  if (given.truncated) tell(truncateProblem(plugin, given));
  const version = `${naming.group("audit")}/v1`;
  if (given.version !== "" && given.version !== version) {
    tell(`invalid group version, allowed versions are ["${version}"]`);
  }
  const { maxEventSize, maxBatchSize, qps, burst, initialBackoffMs } = given;
  return {
    truncate: given.truncated ? { maxEventSize, maxBatchSize } : undefined,
    delivery: {
      mode: mode ?? "batch",
      maxBatchSize: mode === "batch" ? Math.min(given.maxSize, given.bufferSize) : blockingBatch,
      maxWaitMs: given.maxWaitMs,
      throttle: given.throttled ? { qps, burst } : undefined,
      initialBackoffMs,
    },
  };
}

function batchProblem(plugin: PluginName, { bufferSize, maxSize, throttled, qps, burst }: SharedFlags) {
  const wrong = (what: string, value: number): string =>
    `invalid audit batch ${plugin} ${what} ${value}, must be a positive number`;
  if (bufferSize <= 0) return wrong("buffer size", bufferSize);
  if (maxSize <= 0) return wrong("max batch size", maxSize);
  if (throttled && qps <= 0) return wrong("throttle QPS", qps);
  if (throttled && burst <= 0) return wrong("throttle burst", burst);
  return undefined;
}

function truncateProblem(plugin: PluginName, { maxEventSize, maxBatchSize }: SharedFlags): string | undefined {
  if (maxEventSize <= 0) {
    return `invalid audit truncate ${plugin} max event size ${maxEventSize}, must be a positive number`;
  }
  if (maxBatchSize < maxEventSize) {
    return `invalid audit truncate ${plugin} max batch size ${maxBatchSize}, must be greater than max event size (${maxEventSize})`;
  }
  return undefined;
}
