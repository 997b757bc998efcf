import { readFileSync } from "node:fs";
import { ConfigurationError } from "@orch/access/configuration.js";
import { createListPrinter } from "@orch/audit/event-list.js";
import { presented, readClientConfig } from "@orch/client/config.js";
import type { Naming } from "@orch/naming/naming.js";
import { createOutboundCaller } from "@orch/outbound/caller.js";
import { dialDirectly } from "@orch/outbound/dial.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import { messageOf } from "@orch/status/message-of.js";
import type { KafkaConfig, SASLOptions } from "kafkajs";
import type { AuditSettings, KafkaSettings, LogSettings, SinkSettings, WebhookSettings } from "../settings.js";
import { createKafkaSink } from "./kafka.js";
import { createLogSink } from "./log.js";
import { createLogFile, standardOutput } from "./log-file.js";
import type { Sink } from "./sink.js";
import { createWebhookSink } from "./webhook.js";

export interface SinkDeps {
  readonly naming: Naming;
  /** By which way connections leave; straight where absent. */
  readonly egress?: Egress | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly warn: (what: string, error: unknown) => void;
}

export interface OpenedSink {
  readonly sink: Sink;
  readonly settings: SinkSettings;
}

/** The sinks that are configured. @throws ConfigurationError for a file that cannot be used */
export async function openSinks(
  { log, webhook, kafka }: AuditSettings,
  deps: SinkDeps,
): Promise<readonly OpenedSink[]> {
  return [
    ...(log === undefined ? [] : [{ settings: log, sink: await openLog(log, deps) }]),
    ...(webhook === undefined ? [] : [{ settings: webhook, sink: await openWebhook(webhook, deps) }]),
    ...(kafka === undefined ? [] : [{ settings: kafka, sink: openKafka(kafka) }]),
  ];
}

async function openLog(settings: LogSettings, { now, warn }: SinkDeps): Promise<Sink> {
  if (settings.path === "-") return createLogSink(standardOutput(process.stdout), settings.format);
  const file = createLogFile({ ...settings, now, warn });
  try {
    await file.append(Buffer.alloc(0));
  } catch (error) {
    throw new ConfigurationError(`ensureLogFile: ${messageOf(error)}`);
  }
  return createLogSink(file, settings.format);
}

/** As the reference tells a webhook. */
const webhookTimeoutMs = 30_000;

async function openWebhook({ configFile }: WebhookSettings, { naming, egress }: SinkDeps): Promise<Sink> {
  const config = await readClientConfig(configFile).catch((error: unknown) => {
    throw new ConfigurationError(`initializing audit webhook: ${messageOf(error)}`);
  });
  const shown = presented(config);
  const caller = createOutboundCaller({
    dial: { url: egress?.dial("controlplane") ?? dialDirectly, service: dialDirectly },
    resolve: () => Promise.reject(new TypeError("an audit webhook is reached by its address")),
    userAgent: naming.systemName("audit"),
  });
  return createWebhookSink(
    {
      to: { endpoint: { type: "url", url: config.server }, ca: config.ca ?? "" },
      credentialsOf: () => shown,
      timeoutMs: webhookTimeoutMs,
    },
    { caller, print: createListPrinter(naming) },
  );
}

const connectMs = 5_000;

function openKafka(settings: KafkaSettings): Sink {
  const { brokers, clientId, tls, sasl, timeoutMs } = settings;
  const read = (path: string): string => textOf(path);
  const client: KafkaConfig = {
    clientId,
    brokers: [...brokers],
    connectionTimeout: connectMs,
    requestTimeout: timeoutMs,
    retry: { retries: 2 },
    ...(tls === undefined ? {} : { ssl: tlsOf(tls, read) }),
    ...(sasl === undefined ? {} : { sasl: saslOf(sasl, read) }),
  };
  return createKafkaSink({ ...settings, client }, { load: async () => (await import("kafkajs")).default.Kafka });
}

/** @throws ConfigurationError */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigurationError(`initializing audit kafka: ${messageOf(error)}`);
  }
}

function tlsOf({ ca, cert, key }: NonNullable<KafkaSettings["tls"]>, read: (path: string) => string) {
  return {
    ...(ca === "" ? {} : { ca: read(ca) }),
    ...(cert === "" ? {} : { cert: read(cert), key: read(key) }),
  };
}

function saslOf(
  { mechanism, usernameFile, passwordFile }: NonNullable<KafkaSettings["sasl"]>,
  read: (path: string) => string,
): SASLOptions {
  const user = { username: read(usernameFile).trim(), password: read(passwordFile).trim() };
  switch (mechanism) {
    case "plain":
      return { mechanism, ...user };
    case "scram-sha-256":
      return { mechanism, ...user };
    case "scram-sha-512":
      return { mechanism, ...user };
  }
}
